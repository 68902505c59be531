import type { TableMarks } from './table-marks.ts';

/** Of who signs in: people to the console, and chat clients that people let in. */
export const SIGN_IN_MARKS: Readonly<Record<string, TableMarks>> = {
  console_link: {
    none: 'id token_hash kind user_id workspaces made_at expires_at used_at',
    workspace: 't.user_id = any (s.users)',
    left: 'delete',
  },
  console_passkey: {
    none: 'id user_id credential_id public_key counter transports made_at used_at',
    erase: 'name',
    mentions: 'no',
    workspace: 't.user_id = any (s.users)',
    left: 'delete',
  },
  console_session: {
    none: 'id token_hash user_id way signed_in_at seen_at expires_at ended_at',
    workspace: 't.user_id = any (s.users)',
    left: 'delete',
  },
  // What a program says of itself.
  sign_in_client: { none: 'id redirect_uris registered_at used_at', erase: 'name', workspace: '', mentions: 'no' },
  sign_in_code: {
    none: `code_hash consent_id client_id redirect_uri challenge user_id scopes workspaces may_reach made_at expires_at
      used_at key_id`,
    erase: 'client_name',
    mentions: 'no',
    workspace: 't.user_id = any (s.users)',
    left: 'delete',
  },
  sign_in_token: { none: 'token_hash key_id kind scopes made_at expires_at used_at follows' },
};
