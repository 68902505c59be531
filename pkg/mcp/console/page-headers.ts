import type { ServerResponse } from 'node:http';

const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
].join('; ');
/** What pages may ask besides: nothing, or the address to which they put files. */
const policyOf = (uploads: string | undefined): string =>
  uploads === undefined ? POLICY : `${POLICY}; connect-src 'self' ${uploads}`;

const HEADERS: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  // Links that sign in stand in paths, and no other site is to read them; without it at all, browsers hide the Origin that we ask for.
  ['referrer-policy', 'same-origin'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
  ['x-robots-tag', 'noindex'],
  ['cache-control', 'no-store'],
];

/** How the console is known. */
interface Surroundings {
  /** Under https. */
  tls: boolean;
  /** Origin to which files are put; undefined: nobody takes them. */
  uploads: string | undefined;
}

/** What a browser is told of each answer of the console. */
export function protectPage(response: ServerResponse, { tls, uploads }: Surroundings): void {
  response.setHeader('content-security-policy', policyOf(uploads));
  for (const [name, value] of HEADERS) response.setHeader(name, value);
  if (tls) response.setHeader('strict-transport-security', 'max-age=31536000');
}
