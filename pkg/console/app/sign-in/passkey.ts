import { Failure, post } from '../../api/http.ts';

type Json = Record<string, unknown>;

/** Newer than some browsers: JSON to and from what their authenticators take. */
interface JsonCredentials {
  parseRequestOptionsFromJSON?: (options: Json) => PublicKeyCredentialRequestOptions;
  parseCreationOptionsFromJSON?: (options: Json) => PublicKeyCredentialCreationOptions;
}

const credentials = (): JsonCredentials | undefined =>
  'PublicKeyCredential' in window ? (PublicKeyCredential as unknown as JsonCredentials) : undefined;

/** Whether the browser has passkeys, in the form that the server speaks. */
export function canUsePasskeys(): boolean {
  return credentials()?.parseRequestOptionsFromJSON !== undefined;
}

/** Signs in by a passkey. @returns whether somebody did; false: they turned away. @throws Failure */
export async function signInByPasskey(): Promise<boolean> {
  const publicKey = credentials()?.parseRequestOptionsFromJSON?.(await post<Json>('passkeys/options'));
  if (!publicKey) throw new Failure('refused', 'This browser has no passkeys.');
  const response = await asked(() => navigator.credentials.get({ publicKey }));
  if (response === undefined) return false;
  await post('passkeys/verify', { response });
  return true;
}

/** A passkey of who is signed in. */
export interface Passkey {
  passkeyId: string;
  name: string;
  madeAt: string;
  usedAt: string | null;
}

/** Adds a passkey of this device. @returns all of them; undefined: they turned away. @throws Failure */
export async function addPasskey(name: string): Promise<readonly Passkey[] | undefined> {
  const publicKey = credentials()?.parseCreationOptionsFromJSON?.(await post<Json>('passkeys/register-options'));
  if (!publicKey) throw new Failure('refused', 'This browser can not make passkeys.');
  const response = await asked(() => navigator.credentials.create({ publicKey }));
  if (response === undefined) return undefined;
  return (await post<{ passkeys: Passkey[] }>('passkeys/register', { name, response })).passkeys;
}

async function asked(ask: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = (await ask()) as (Credential & { toJSON?: () => unknown }) | null;
    return credential?.toJSON?.();
  } catch (error) {
    // Turned away, or waited too long.
    const away = ['NotAllowedError', 'AbortError'];
    if (error instanceof DOMException && away.includes(error.name)) return undefined;
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Failure('refused', 'This device has a passkey of yours already.');
    throw new Failure('refused', error instanceof Error ? error.message : 'The passkey could not be used.');
  }
}
