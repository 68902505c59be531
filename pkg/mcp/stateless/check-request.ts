import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_MISMATCH, RpcError, UNSUPPORTED_VERSION } from '../errors.ts';
import { metaOf, type RpcMessage, SESSION_VERSIONS, STATELESS_VERSION } from '../rpc.ts';
import { META } from './era.ts';

/** Versions that a client may be told of, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [STATELESS_VERSION, ...[...SESSION_VERSIONS].reverse()];

/** The parameter that Mcp-Name repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Headers and `_meta` of a request without a session. Source: MCP 2026-07-28, Streamable HTTP, Server Validation.
 * @throws RpcError with HTTP status 400
 */
export function checkStatelessRequest(headers: IncomingHttpHeaders, message: RpcMessage): void {
  const meta = metaOf(message.params);
  const version = meta[META.version];
  if (typeof version !== 'string') throw invalidMeta(META.version, 'a version');
  const header = required(headers, 'mcp-protocol-version', 'MCP-Protocol-Version');
  if (header !== version) throw mismatch('MCP-Protocol-Version', header, version);
  if (version !== STATELESS_VERSION) throw unsupported(version);
  const capabilities = meta[META.capabilities];
  if (capabilities === null || typeof capabilities !== 'object' || Array.isArray(capabilities)) {
    throw invalidMeta(META.capabilities, 'an object');
  }
  const { method = '' } = message;
  const said = required(headers, 'mcp-method', 'Mcp-Method');
  if (said !== method) throw mismatch('Mcp-Method', said, method);
  checkName(headers, message);
}

function checkName(headers: IncomingHttpHeaders, { method = '', params }: RpcMessage): void {
  const field = NAMED_BY[method];
  if (field === undefined) return;
  const named = params[field];
  if (typeof named !== 'string') throw new RpcError(-32_602, `Invalid params: ${field} is required.`, { status: 400 });
  const name = decodeValue(required(headers, 'mcp-name', 'Mcp-Name'));
  if (name !== named) throw mismatch('Mcp-Name', name, named);
}

function required(headers: IncomingHttpHeaders, name: string, shown: string): string {
  const value = headers[name];
  if (typeof value === 'string') return value;
  throw new RpcError(HEADER_MISMATCH, `Header mismatch: ${shown} is missing.`, { status: 400 });
}

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** Source: MCP 2026-07-28, Streamable HTTP, Value Encoding. @throws RpcError for what is neither plain nor base64 */
function decodeValue(value: string): string {
  if (!value.startsWith('=?base64?')) return value;
  const body = ENCODED.exec(value)?.[1];
  if (body === undefined) {
    throw new RpcError(HEADER_MISMATCH, 'Header mismatch: Mcp-Name is not valid base64.', { status: 400 });
  }
  return Buffer.from(body, 'base64').toString('utf8');
}

function mismatch(header: string, said: string, body: string): RpcError {
  const text = `Header mismatch: ${header} header value '${shorten(said)}' does not match body value '${shorten(body)}'`;
  return new RpcError(HEADER_MISMATCH, text, { status: 400 });
}

function unsupported(requested: string): RpcError {
  const data = { supported: SUPPORTED_VERSIONS, requested: shorten(requested) };
  return new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { data, status: 400 });
}

function invalidMeta(key: string, what: string): RpcError {
  return new RpcError(-32_602, `Invalid params: _meta["${key}"] must be ${what}.`, { status: 400 });
}

function shorten(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 200);
}
