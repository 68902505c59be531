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

const HEADERS: readonly (readonly [string, string])[] = [
  ['content-security-policy', POLICY],
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

/** What a browser is told of each answer of the console. @param tls whether the console is known under https */
export function protectPage(response: ServerResponse, tls: boolean): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value);
  if (tls) response.setHeader('strict-transport-security', 'max-age=31536000');
}
