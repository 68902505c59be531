import type { Kind } from './types.ts';

/** Gnostic's OpenAPI v2 Document, as an API server names it: the name that kubectl asks by, with an @, is no media type. */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation', 'force'];
const TITLE = 'Kubernetes';
const VERSION = 'v1.35.0';

/**
 * `/openapi/v2` as JSON: which objects there are and what a patch of them takes. kubectl asks for it before it applies, creates or
 * replaces a `List`; it tells no fields, since the server judges them itself (`fieldValidation`), and `/openapi/v3` has them.
 */
export function openapiV2(kinds: readonly Kind[]): object {
  const paths = Object.fromEntries(
    kinds.map((kind) => [
      pathOf(kind),
      {
        patch: {
          'x-kubernetes-action': 'patch',
          'x-kubernetes-group-version-kind': gvkOf(kind),
          parameters: QUERY.map((name) => ({ name, in: 'query', type: 'string' })),
          responses: { 200: { description: 'OK' } },
        },
      },
    ]),
  );
  return { swagger: '2.0', info: { title: TITLE, version: VERSION }, paths };
}

/** The same in protobuf; field numbers of gnostic's OpenAPIv2.proto. */
export function openapiV2Protobuf(kinds: readonly Kind[]): Buffer {
  const parameters = QUERY.map((name) => {
    const query = message(text(2, 'query'), text(4, name), text(6, 'string'));
    return inner(8, inner(1, inner(2, inner(3, query))));
  });
  const paths = kinds.map((kind) => {
    const gvk = message(text(1, 'x-kubernetes-group-version-kind'), inner(2, text(2, JSON.stringify(gvkOf(kind)))));
    const patch = message(...parameters, inner(13, gvk));
    return inner(2, message(text(1, pathOf(kind)), inner(2, inner(8, patch))));
  });
  return message(text(1, '2.0'), inner(2, message(text(1, TITLE), text(2, VERSION))), inner(8, message(...paths)));
}

function pathOf({ group, version, plural, namespaced }: Kind): string {
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced ? `${prefix}/namespaces/{namespace}/${plural}/{name}` : `${prefix}/${plural}/{name}`;
}

function gvkOf({ group, version, kind }: Kind): object {
  return { group, version, kind };
}

const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

const text = (field: number, value: string): Buffer => inner(field, Buffer.from(value));

/** A field with a length: a string, or a message. */
function inner(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
