import { RpcError } from '../errors.ts';
import { RECORD_RESOURCES, recordOf } from '../resources/records.ts';
import { STATIC_RESOURCES } from '../resources/static.ts';
import { STATELESS_VERSION } from '../rpc.ts';
import type { Method } from './method.ts';
import { textOfTool } from './run-tool.ts';

/** `resources/list`: what can be read without knowing an id. */
export const listResources: Method = (_services, _context, params) => {
  refuseCursor(params);
  return JSON.stringify({ resources: STATIC_RESOURCES.map(({ text: _, ...resource }) => resource) });
};

/** `resources/templates/list` */
export const listResourceTemplates: Method = (_services, _context, params) => {
  refuseCursor(params);
  const resourceTemplates = RECORD_RESOURCES.map(({ uriTemplate, name, title, description, mimeType }) => {
    return { uriTemplate, name, title, description, mimeType };
  });
  return JSON.stringify({ resourceTemplates });
};

/** `resources/read`: limits, scope and tenancy of a record are those of the tool that reads it. */
export const readResource: Method = async (services, context, params) => {
  const uri = uriOf(params);
  const constant = STATIC_RESOURCES.find((resource) => resource.uri === uri);
  if (constant) {
    return contents(uri, constant.mimeType, constant.text(services.tools));
  }
  const code = notFoundCode(context.protocolVersion);
  const record = recordOf(uri);
  if (!record) throw resourceNotFound(uri, code);
  const { readTool, variable, mimeType } = record.resource;
  const text = await textOfTool(services, context, readTool, { [variable]: record.id }, code);
  return contents(uri, mimeType, text);
};

/** The address that a request is about. @throws RpcError -32602 */
export function uriOf(params: Record<string, unknown>): string {
  const { uri } = params;
  if (typeof uri !== 'string' || uri === '') throw new RpcError(-32_602, 'Invalid params: uri is required.');
  return uri;
}

/** @returns the error of an address that nothing stands behind */
export function resourceNotFound(uri: string, code: number): RpcError {
  const shown = uri.replace(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 200);
  return new RpcError(
    code,
    `Resource "${shown}" was not found. List addresses with resources/list and resources/templates/list.`,
    { data: { uri: shown } },
  );
}

/** Source: MCP 2025-11-25 and before, server/resources; 2026-07-28 replaced the code by "invalid params". */
export function notFoundCode(protocolVersion: string): number {
  return protocolVersion >= STATELESS_VERSION ? -32_602 : -32_002;
}

/** Lists are one page: a cursor can't be one of ours. @throws RpcError -32602 */
export function refuseCursor(params: Record<string, unknown>): void {
  if (params['cursor'] === undefined || params['cursor'] === null) return;
  throw new RpcError(-32_602, 'Invalid params: cursor: this list is one page; leave cursor out.');
}

function contents(uri: string, mimeType: string, text: string): string {
  return JSON.stringify({ contents: [{ uri, mimeType, text }] });
}
