/** Longest one that is taken. */
const LONGEST = 2_000;
/** A host as a browser goes there; other signs that a parser lets pass could end the policy of a page that names it. */
const HOST = /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:\d{1,5})?$/;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?((?:\/|\?).*)?$/;
/** Apps whose own scheme is no reversed domain. A scheme may start any program of a person's machine, so no other one is taken. */
const APPS: ReadonlySet<string> = new Set([
  'claude',
  'cursor',
  'goose',
  'jetbrains',
  'kiro',
  'lmstudio',
  'raycast',
  'vscode',
  'vscode-insiders',
  'warp',
  'windsurf',
  'zed',
]);

/** Why nobody is sent to an address with a code; undefined: it may be registered. Source: RFC 8252, 7 and 8; RFC 9700, 4.1. */
export function redirectProblem(uri: string): string | undefined {
  if (uri.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  // What browsers drop or turn round in an address would make two of one.
  if (!/^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/.test(uri)) return 'it has signs that no address has';
  if (!URL.canParse(uri)) return 'it is no address';
  if (uri.includes('#')) return 'it has a fragment';
  const { protocol, host, username, password } = new URL(uri);
  if (username !== '' || password !== '') return 'it holds a name or password';
  const scheme = protocol.slice(0, -1);
  if (scheme === 'https') return HOST.test(host) ? undefined : 'its host is no name of a host';
  if (scheme === 'http') return LOOPBACK.test(uri) ? undefined : 'http leads to this machine only; use https';
  if (/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme) || APPS.has(scheme)) return undefined;
  return 'its scheme is neither https nor a reversed domain of the app';
}

/** Whether an address is the registered one, sign by sign; of one on the own machine the port is free. Source: RFC 8252, 7.3. */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [a, b] = [LOOPBACK.exec(registered), LOOPBACK.exec(given)];
  return a !== null && b !== null && URL.canParse(given) && a[1] === b[1] && (a[2] ?? '') === (b[2] ?? '');
}

/** Where an address leads, as a person can judge it. */
export function placeOf(uri: string): { kind: 'site' | 'machine' | 'app'; name: string } {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return { kind: 'site', name: host };
  return protocol === 'http:' ? { kind: 'machine', name: host } : { kind: 'app', name: protocol.slice(0, -1) };
}

/** What a page's policy must allow so that its form may lead there. */
export function formTargetOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}` : protocol;
}

/** An address with what is told there; its own query stays as it was written. */
export function answerAt(uri: string, told: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const query = new URLSearchParams(given as [string, string][]).toString();
  return `${uri}${uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'}${query}`;
}
