import { RpcError } from '../errors.ts';

/** Characters of a version or a name at most. */
const MAX_NAME = 256;
/** Values and characters of `capabilities`, and of `clientInfo`, at most: icons may stand in it as data. */
const MAX_SIZE = 65_536;

/**
 * What a client must say of itself before it gets a session. Source: specification, HTTP surface.
 * @returns the protocol version that it asks for
 * @throws RpcError -32602 that names the parameter
 */
export function initializeParams(params: Record<string, unknown>): string {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (!isName(protocolVersion)) throw invalid('protocolVersion', `must be text of 1 to ${MAX_NAME} characters`);
  requireObject('capabilities', capabilities);
  const { name, version } = requireObject('clientInfo', clientInfo);
  if (!isName(name)) throw invalid('clientInfo.name', `must be text of 1 to ${MAX_NAME} characters`);
  if (!isName(version)) throw invalid('clientInfo.version', `must be text of 1 to ${MAX_NAME} characters`);
  return protocolVersion;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME;
}

function requireObject(path: string, value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(path, 'must be an object');
  if (isLarger(value, MAX_SIZE)) throw invalid(path, `must hold at most ${MAX_SIZE} characters`);
  return value as Record<string, unknown>;
}

/** Whether a parsed value holds more than `most` values and characters. Without recursion: its depth is the caller's. */
function isLarger(value: object, most: number): boolean {
  const open: unknown[] = [value];
  let size = 0;
  while (open.length > 0) {
    const next = open.pop();
    size += typeof next === 'string' ? next.length + 1 : 1;
    if (next !== null && typeof next === 'object') {
      for (const [key, inner] of Object.entries(next)) {
        size += Array.isArray(next) ? 0 : key.length;
        open.push(inner);
      }
    }
    if (size + open.length > most) return true;
  }
  return false;
}

function invalid(path: string, what: string): RpcError {
  return new RpcError(-32_602, `Invalid params: ${path} ${what}.`);
}
