import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { messageOf } from '../../base/errors.ts';
import { nulPath } from '../../base/nul-text.ts';
import { parseProtobuf } from './protobuf.ts';
import { ApiError, badRequest } from './status.ts';

const MAX_BODY = 3 * 1024 * 1024;

/**
 * The body of a request: JSON, YAML of applies, or kubectl's protobuf.
 * @param optional an empty body is undefined instead of an error
 * @throws ApiError 400, 413, 415
 */
export async function readBody(request: IncomingMessage, optional = false): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new ApiError(413, 'RequestEntityTooLarge', `limit is ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (body.length === 0 && optional) return undefined;
  const type = request.headers['content-type'] ?? '';
  if (type.includes('protobuf')) return parseProtobuf(body);
  const value = parse(body.toString('utf8'), type);
  const nul = nulPath(value);
  if (nul !== undefined) throw badRequest(`${nul || 'the body'}: holds a NUL character, which can not be stored`);
  return value;
}

function parse(text: string, type: string): unknown {
  try {
    return JSON.parse(text, wellFormed);
  } catch {
    if (!type.includes('yaml')) throw badRequest('the object provided is unrecognized (must be of type JSON)');
  }
  try {
    return parseYaml(text, wellFormed);
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${messageOf(error).slice(0, 300)}`);
  }
}

/** Half a character is replaced, as a real server reads it. */
function wellFormed(_key: unknown, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
