import { ApiError, badRequest } from './status.ts';
import type { Fields } from './types.ts';

type Form = 'number' | 'text' | 'bytes' | 'bool' | 'texts' | 'map' | 'byteMap' | Message;
/** Field number to name and form. */
interface Message {
  [field: number]: [name: string, form: Form];
}

const META: Message = {
  1: ['name', 'text'],
  2: ['generateName', 'text'],
  3: ['namespace', 'text'],
  11: ['labels', 'map'],
  12: ['annotations', 'map'],
  14: ['finalizers', 'texts'],
};
const ACCESS: Message = {
  1: ['namespace', 'text'],
  2: ['verb', 'text'],
  3: ['group', 'text'],
  5: ['resource', 'text'],
};
/** The kinds that kubectl (`create namespace`, `create secret`, `auth can-i`) and helm send in protobuf. */
const MESSAGES: Record<string, Message> = {
  Namespace: { 1: ['metadata', META] },
  Secret: {
    1: ['metadata', META],
    2: ['data', 'byteMap'],
    3: ['type', 'text'],
    4: ['stringData', 'map'],
    5: ['immutable', 'bool'],
  },
  ConfigMap: { 1: ['metadata', META], 2: ['data', 'map'], 3: ['binaryData', 'byteMap'], 4: ['immutable', 'bool'] },
  ServiceAccount: { 1: ['metadata', META] },
  SelfSubjectAccessReview: { 1: ['metadata', META], 2: ['spec', { 1: ['resourceAttributes', ACCESS] }] },
  SelfSubjectRulesReview: { 1: ['metadata', META], 2: ['spec', { 1: ['namespace', 'text'] }] },
  DeleteOptions: {
    1: ['gracePeriodSeconds', 'number'],
    2: ['preconditions', { 1: ['uid', 'text'], 2: ['resourceVersion', 'text'] }],
    4: ['propagationPolicy', 'text'],
    5: ['dryRun', 'texts'],
  },
  SelfSubjectReview: { 1: ['metadata', META] },
};
const ENVELOPE: Message = { 1: ['type', { 1: ['apiVersion', 'text'], 2: ['kind', 'text'] }], 2: ['raw', 'bytes'] };
const MAGIC = 'k8s\u0000';

/**
 * An object of kubectl's protobuf form (`application/vnd.kubernetes.protobuf`: four magic bytes and a
 * runtime.Unknown; field numbers of k8s.io/api's generated.proto). @throws ApiError 400, 415
 */
export function parseProtobuf(body: Buffer): Fields {
  if (body.subarray(0, 4).toString('latin1') !== MAGIC) throw badRequest('the body is no Kubernetes protobuf');
  const envelope = decode(body.subarray(4), ENVELOPE) as {
    type?: { apiVersion?: string; kind?: string };
    raw?: Buffer;
  };
  const message = MESSAGES[envelope.type?.kind ?? ''];
  if (!message)
    throw new ApiError(
      415,
      'UnsupportedMediaType',
      `this development server reads ${envelope.type?.kind ?? 'this'} as JSON only`,
    );
  return { ...envelope.type, ...decode(envelope.raw ?? Buffer.alloc(0), message) };
}

function decode(bytes: Buffer, message: Message): Fields {
  const result: Fields = {};
  for (const { field, value } of fieldsIn(bytes)) {
    const [name, form] = message[field] ?? [];
    if (name === undefined || form === undefined) continue;
    if (form === 'bool') result[name] = value === 1;
    else if (form === 'number') result[name] = Number(value);
    else if (!Buffer.isBuffer(value)) throw badRequest(`protobuf field ${name} has a wrong type`);
    else if (form !== 'text' || value.length > 0) result[name] = read(value, form, result[name]);
  }
  return result;
}

/** @param before value of the same field so far: lists and maps come item by item */
function read(value: Buffer, form: Exclude<Form, 'bool' | 'number'>, before: unknown): unknown {
  if (form === 'bytes') return value;
  if (form === 'text') return value.toString('utf8');
  if (form === 'texts') return [...((before as string[]) ?? []), value.toString('utf8')];
  if (form === 'map' || form === 'byteMap') return { ...(before as Fields), ...entry(value, form) };
  return decode(value, form);
}

function entry(bytes: Buffer, form: 'map' | 'byteMap'): Fields {
  const { key = Buffer.alloc(0), value = Buffer.alloc(0) } = decode(bytes, {
    1: ['key', 'bytes'],
    2: ['value', 'bytes'],
  }) as { key?: Buffer; value?: Buffer };
  return Object.fromEntries([[key.toString('utf8'), value.toString(form === 'map' ? 'utf8' : 'base64')]]);
}

/** Fields of a message in order: numbers for varints, bytes for length-delimited ones. */
function* fieldsIn(bytes: Buffer): Generator<{ field: number; value: number | Buffer }> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
    throw badRequest('the protobuf body ends in the middle');
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire !== 0 && wire !== 2) throw badRequest(`protobuf wire type ${wire} is not read here`);
    if (wire === 0) {
      yield { field, value: varint() };
      continue;
    }
    const length = varint();
    if (at + length > bytes.length) throw badRequest('the protobuf body ends in the middle');
    yield { field, value: bytes.subarray(at, at + length) };
    at += length;
  }
}
