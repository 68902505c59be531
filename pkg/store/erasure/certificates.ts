import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { Tx } from '../../postgres/database.ts';

/** A statement of what was erased that anybody can check who has the public key. */
export interface Certificate {
  algorithm: 'Ed25519';
  /** SPKI in DER, base64. */
  publicKey: string;
  /** Of the bytes of `signed`, base64. */
  signature: string;
  /** JSON. */
  signed: string;
}

interface Stored {
  body: string;
  signature: string;
}

/** What is certified. */
export interface Statement {
  id: string;
  kind: 'erasure' | 'workspace_deletion';
  /** Id of the workspace; '' for a person. */
  subject: string;
  /** Holds no word about a person: hashes, numbers, times and ids. */
  says: Readonly<Record<string, unknown>>;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Signs a statement and keeps it for good. For a platform transaction. @returns the certificate */
export async function certify(tx: Tx, { id, kind, subject, says, now }: Statement): Promise<Certificate> {
  const key = (await readKey(tx, null)) ?? (await readKey(tx, newKey()));
  if (!key) throw new Error('certificates are signed for the platform only');
  const signed = JSON.stringify({ certificateId: id, kind, ...says });
  const signature = sign(
    null,
    Buffer.from(signed),
    createPrivateKey({ key: key.private, format: 'der', type: 'pkcs8' }),
  );
  const text = signature.toString('base64');
  await tx.exec('select app.keep_certificate($1, $2, $3, $4, $5, $6)', [id, kind, subject, signed, text, now]);
  return { algorithm: 'Ed25519', publicKey: key.public.toString('base64'), signature: text, signed };
}

/** A certificate that was made before. For a platform transaction. @returns undefined when there is none */
export async function findCertificate(
  tx: Tx,
  by: { id: string } | { workspaceId: string },
): Promise<Certificate | undefined> {
  const [where, value] = 'id' in by ? ['id = $1::uuid', by.id] : [OF_WORKSPACE, by.workspaceId];
  const row = await tx.row<Stored>(`select body, signature from certificate where ${where}`, [value]);
  const key = row && (await readKey(tx, null));
  if (!key) return undefined;
  return {
    algorithm: 'Ed25519',
    publicKey: key.public.toString('base64'),
    signature: row.signature,
    signed: row.body,
  };
}

const OF_WORKSPACE = `kind = 'workspace_deletion' and subject = $1`;

/** Whether a certificate says what was signed with its key. */
export function isGenuine({ publicKey, signature, signed }: Certificate): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'));
}

interface KeyPair {
  private: Buffer;
  public: Buffer;
}

/** PKCS #8 and SPKI, DER. */
function newKey(): KeyPair {
  const made = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return { private: made.privateKey, public: made.publicKey };
}

/** The installation's key. @param fresh becomes it where there is none. @returns undefined: there is none */
async function readKey(tx: Tx, fresh: KeyPair | null): Promise<KeyPair | undefined> {
  const row = await tx.row<{ private_key: Buffer | null; public_key: Buffer | null }>(
    'select private_key, public_key from app.signing_key_of($1, $2)',
    [fresh?.private ?? null, fresh?.public ?? null],
  );
  return row?.private_key && row.public_key ? { private: row.private_key, public: row.public_key } : undefined;
}
