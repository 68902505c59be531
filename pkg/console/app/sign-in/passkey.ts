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
  const options = await post<Json>('passkeys/options');
  const publicKey = credentials()?.parseRequestOptionsFromJSON?.(inner(options));
  if (!publicKey) throw new Failure('refused', 'This browser has no passkeys.');
  const answer = await asked(() => navigator.credentials.get({ publicKey }));
  if (!answer) return false;
  await post('passkeys/verify', { ...given(options), response: answer });
  return true;
}

/** Adds a passkey of this device to who is signed in. @returns whether it was added. @throws Failure */
export async function addPasskey(name: string): Promise<boolean> {
  const options = await post<Json>('passkeys/register-options', { name });
  const publicKey = credentials()?.parseCreationOptionsFromJSON?.(inner(options));
  if (!publicKey) throw new Failure('refused', 'This browser can not make passkeys.');
  const answer = await asked(() => navigator.credentials.create({ publicKey }));
  if (!answer) return false;
  await post('passkeys/register', { ...given(options), name, response: answer });
  return true;
}

/** The options of the authenticator, beside which the server may say of which ceremony they are. */
function inner(options: Json): Json {
  const { options: nested } = options;
  return nested !== null && typeof nested === 'object' ? (nested as Json) : options;
}

function given({ ceremonyId, id }: Json): Json {
  return ceremonyId !== undefined ? { ceremonyId } : typeof id === 'string' ? { id } : {};
}

async function asked(ask: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = (await ask()) as (Credential & { toJSON?: () => unknown }) | null;
    return credential?.toJSON?.();
  } catch (error) {
    // Turned away, or waited too long.
    if (error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
      return undefined;
    throw new Failure('refused', error instanceof Error ? error.message : 'The passkey could not be used.');
  }
}
