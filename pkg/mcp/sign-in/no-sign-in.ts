/** Where clients look for a way to sign in. Source: MCP 2025-11-25, Authorization; RFC 7591, 8414, 9728. */
export const SIGN_IN_PATHS: readonly string[] = ['/register', '/authorize', '/token', '/.well-known/*'];

/** Clients read these two fields of an answer in place of any other (RFC 6749, 5.2). */
const NO_SIGN_IN = {
  error: 'invalid_request',
  error_description:
    'The API key of this client is missing, invalid or revoked. This server takes API keys and has no sign-in: send a valid user key (csu_...) or workspace key (cs_...) as Authorization: Bearer <API_KEY>.',
};

/** What a client is told that tries to sign in, mostly since its key was refused; undefined for any other path. */
export function signInAnswer(path: string): object | undefined {
  const looks = SIGN_IN_PATHS.some((one) => (one.endsWith('/*') ? path.startsWith(one.slice(0, -1)) : path === one));
  return looks ? NO_SIGN_IN : undefined;
}
