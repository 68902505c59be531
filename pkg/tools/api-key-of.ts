import { isUuid } from '../base/ids.ts';
import type { Caller } from './tool-context.ts';

/** Id of the API key that calls; null: none does, but an internal caller or a session, behind which its user stands alone. */
export function apiKeyOf({ keyId, session }: Pick<Caller, 'keyId' | 'session'>): string | null {
  return session === undefined && isUuid(keyId) ? keyId : null;
}
