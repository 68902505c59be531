import { INSTRUCTIONS, STATELESS_CAPABILITIES, serverInfo } from '../capabilities.ts';
import { SUPPORTED_VERSIONS } from './check-request.ts';
import { META } from './era.ts';

/** How long a client may keep an answer (ms), and whether another client may be given it. */
interface CacheHint {
  ttlMs: number;
  cacheScope: 'public' | 'private';
}

/** What changes with a deployment only. */
const CONSTANT: CacheHint = { ttlMs: 300_000, cacheScope: 'public' };
/** Hints of results that may be kept; tools/list depends on headers and, when asked, on the key. */
const HINTS: Readonly<Record<string, CacheHint>> = {
  'server/discover': CONSTANT,
  'tools/list': { ttlMs: 300_000, cacheScope: 'private' },
  'prompts/list': CONSTANT,
  'resources/list': CONSTANT,
  'resources/templates/list': CONSTANT,
  // A caller reads its own write.
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
};

/**
 * A result in the form of 2026-07-28: with its type, who answers, and how long it may be kept.
 * @param result JSON text of an object
 */
export function statelessResult(method: string, result: string, version: string, meta: object = {}): string {
  const head = { resultType: 'complete', _meta: { [META.server]: serverInfo(version), ...meta }, ...HINTS[method] };
  const rest = result === '{}' ? '}' : `,${result.slice(1)}`;
  return `${JSON.stringify(head).slice(0, -1)}${rest}`;
}

/** The result of `server/discover`. */
export function discoverResult(): string {
  return JSON.stringify({
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: STATELESS_CAPABILITIES,
    instructions: INSTRUCTIONS,
  });
}
