import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { type Certificate, certify, findCertificate } from './certificates.ts';

/** A certificate with its id. */
export interface Certified {
  id: string;
  certificate: Certificate;
}

/** What the platform certified before of the one who bears these identities. */
export interface EarlierCertificates {
  /** The newest that names all of the identities; undefined: none does. */
  whole: Certified | undefined;
  /** Ids of all that name one of them. */
  ids: string[];
}

/** What one erasure did, without a word about the person. */
export interface ErasureStatement {
  id: string;
  by: string;
  /** Epoch ms UTC, product time. */
  now: number;
  /** As Subject has them. */
  identities: readonly string[];
  stores: Readonly<Record<string, number>>;
  kept: Readonly<Record<string, number>>;
  pending: number;
  /** Ids of certificates that name one of the identities and not all that this one names. */
  extends: readonly string[];
}

const signedWords = z.object({ identities: z.array(z.string()), erasedAt: z.string() });

/**
 * Finds what was certified of a person by the proofs of who they are, never by a name at a company, which others bear too, nor by what
 * a workspace wrote beside another's name. For a platform transaction.
 */
export async function earlierCertificates(tx: Tx, identities: readonly string[]): Promise<EarlierCertificates> {
  const proofs = identities.filter((identity) => !identity.startsWith('name:'));
  const rows = await tx.rows<{ id: string }>(
    `select distinct c.id
     from unnest($1::text[]) i
     cross join lateral app.certificate_of(array[i]) c (id)
     where c.id is not null
     order by 1`,
    [proofs],
  );
  const ids = rows.map((row) => row.id);
  const now = await hashesOf(tx, identities);
  let whole: (Certified & { at: string }) | undefined;
  for (const id of ids) {
    const certificate = await findCertificate(tx, { id });
    if (!certificate) continue;
    const says = signedWords.parse(JSON.parse(certificate.signed));
    const names = new Set(says.identities);
    if (now.every((hash) => names.has(hash)) && (whole === undefined || says.erasedAt > whole.at))
      whole = { id, certificate, at: says.erasedAt };
  }
  return { whole: whole && { id: whole.id, certificate: whole.certificate }, ids };
}

/** Signs what an erasure did. For a platform transaction. */
export async function certifyErasure(tx: Tx, statement: ErasureStatement): Promise<Certified> {
  const { id, by, now, identities, stores, kept, pending, extends: before } = statement;
  const says = {
    erasedAt: new Date(now).toISOString(),
    by,
    identities: await hashesOf(tx, identities),
    stores,
    kept,
    pending,
    ...(before.length === 0 ? {} : { extends: before }),
  };
  return { id, certificate: await certify(tx, { id, kind: 'erasure', subject: '', says, now }) };
}

async function hashesOf(tx: Tx, identities: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ hash: string }>(
    `select encode(h, 'hex') as hash from app.platform_hashes($1) h order by 1`,
    [identities],
  );
  return rows.map((row) => row.hash);
}
