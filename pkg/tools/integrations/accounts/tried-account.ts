import { UserError } from '../../../base/errors.ts';
import type { Tx } from '../../../postgres/database.ts';

/** An account that is tried and can be stored. */
export interface TriedAccount {
  kind: 'calendar' | 'mail';
  /** For people. */
  name: string;
  url: string;
  /** The account that the workspace has already by this address; undefined: none. */
  known: string | undefined;
  /** Writes the account with its credentials under this id. @throws UserError where it can not be had */
  store(tx: Tx, id: string): Promise<void>;
}

/** What a test that failed says. */
export function failedTest(said: string): UserError {
  return new UserError(
    `The test call failed: ${said}. Nothing was stored. Call svc_list_integrations.`,
    'ConnectionFailed',
  );
}
