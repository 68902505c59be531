import { CRD_KIND, NAMESPACE_KIND } from './builtin-kinds.ts';
import { crdProblems } from './crd.ts';
import { metadataProblems, pruneMetadata, typedMetadata } from './metadata.ts';
import { groupVersion } from './registry.ts';
import { applyDefaults, isObject, prune, validate, validateRules } from './schema.ts';
import { ApiError, badRequest, type Cause, invalid } from './status.ts';
import type { Fields, Kind, Schema, Stored } from './types.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Parses a body as an object of the kind. @throws ApiError 400 */
export function requireObject(body: unknown, kind: Kind): Fields {
  if (!isObject(body)) throw badRequest('the body is not an object');
  // Built-in kinds are known by their path; objects of definitions must say what they are.
  const missing = kind.schema ? ['apiVersion', 'kind'].find((name) => body[name] === undefined) : undefined;
  if (missing) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): Object '${missing === 'kind' ? 'Kind' : missing}' is missing`,
    );
  }
  const wanted = kind.read ? 'events.k8s.io/v1' : groupVersion(kind);
  const { apiVersion = wanted, kind: name = kind.kind } = body;
  if (apiVersion !== wanted) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
  if (name !== kind.kind && kind.schema) {
    const said = `Invalid value: ${JSON.stringify(name)}: must be ${kind.kind}`;
    throw invalid(kind, nameOf(body), [{ reason: 'FieldValueInvalid', field: 'kind', message: said }]);
  }
  if (name !== kind.kind)
    throw badRequest(`the kind in the data (${name}) does not match the expected kind (${kind.kind})`);
  if (body['metadata'] !== undefined && !isObject(body['metadata'])) throw badRequest('metadata is not an object');
  return { ...body, apiVersion: wanted, kind: kind.kind, metadata: typedMetadata((body['metadata'] ?? {}) as Fields) };
}

function nameOf({ metadata }: Fields): string {
  return isObject(metadata) ? String(metadata['name'] ?? '') : '';
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/;

function nameProblem(name: string, kind: Kind): string | undefined {
  if (kind === NAMESPACE_KIND && name.includes('.')) return 'must not contain dots';
  const most = kind === NAMESPACE_KIND ? 63 : 253;
  if (name.length > most) return `must be no more than ${most} characters`;
  if (NAME.test(name)) return undefined;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
}

/**
 * Brings an object into its stored form: pruned, defaulted, valid.
 * @returns warnings for unknown fields
 * @throws ApiError 400 for unknown fields under Strict, 422 with causes
 */
export function prepare(object: Stored, before: Stored | undefined, kind: Kind, validation: FieldValidation): string[] {
  const unknown = [...pruneMetadata(object), ...(kind.schema ? prune(object, kind.schema) : [])];
  if (unknown.length > 0 && validation === 'Strict') {
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`,
    );
  }
  if (kind.schema) applyDefaults(object, kind.schema);
  builtinForm(object, kind);
  const { name } = object.metadata;
  const wrong = nameProblem(name, kind);
  if (wrong)
    throw invalid(kind, name, [
      { reason: 'FieldValueInvalid', field: 'metadata.name', message: `Invalid value: "${name}": ${wrong}` },
    ]);
  const causes = [...metadataProblems(object), ...(kind === CRD_KIND ? crdProblems(object) : [])];
  if (kind.schema) {
    const body: Fields = { ...object };
    causes.push(...validate(body, kind.schema, '', before));
    if (!causes.some((cause) => BLOCKING.has(cause.reason)))
      causes.push(...validateRules(body, before, kind.schema, ''));
    else if (hasRules(kind.schema)) causes.push(RULES_UNCHECKED);
  }
  if (causes.length > 0)
    throw invalid(
      kind,
      name,
      causes.map((cause) => ({ ...cause, field: cause.field === '' ? '<nil>' : cause.field })),
    );
  return validation === 'Warn' ? unknown.map((path) => `unknown field "${path}"`) : [];
}

/** After these the rules are not run: what they look at may be missing, too large or of another type. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const RULES_UNCHECKED: Cause = {
  reason: 'FieldValueInvalid',
  field: '',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function hasRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations']) return true;
  const extra = isObject(schema.additionalProperties) ? [schema.additionalProperties as Schema] : [];
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : []), ...extra];
  return inner.some(hasRules);
}

/** The few forms of built-in kinds that clients trip over. */
function builtinForm(object: Stored, kind: Kind): void {
  if (kind.plural === 'leases') microTimes(object['spec'], ['acquireTime', 'renewTime'], kind);
  if (kind.plural === 'events') microTimes(object, ['eventTime'], kind);
  if (kind.plural === 'secrets' && isObject(object['stringData'])) {
    const data = Object.entries(object['stringData']).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString('base64'),
    ]);
    object['data'] = { ...(object['data'] as Fields), ...Object.fromEntries(data) };
    delete object['stringData'];
  }
  if (kind.plural === 'namespaces') object['status'] ??= { phase: 'Active' };
  if (kind.plural === 'pods') {
    object['status'] ??= { phase: 'Pending' };
    if (isObject(object['spec'])) object['spec']['restartPolicy'] ??= 'Always';
  }
}

/** MicroTime has exactly six digits; a client that sends three gets the error that a real server gives. */
function microTimes(holder: unknown, names: string[], kind: Kind): void {
  if (!isObject(holder)) return;
  for (const name of names) {
    const value = holder[name];
    if (value === undefined || value === null || (typeof value === 'string' && MICRO_TIME.test(value))) continue;
    throw new ApiError(
      400,
      'BadRequest',
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: parsing time "${String(value)}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${String(value).slice(19)}" as ".000000"`,
    );
  }
}
