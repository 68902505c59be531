import { isObject } from './schema.ts';
import { badRequest, type Cause } from './status.ts';
import type { Fields, Stored } from './types.ts';

const METADATA_FIELDS = new Set([
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'labels'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'annotations', 'finalizers', 'ownerReferences'],
  ...['managedFields', 'selfLink'],
]);

/** Removes what is no field of metadata, in place. @returns the paths */
export function pruneMetadata(object: Stored): string[] {
  const unknown = Object.keys(object.metadata).filter((key) => !METADATA_FIELDS.has(key));
  for (const key of unknown) delete object.metadata[key];
  return unknown.map((key) => `metadata.${key}`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);
const FORMS: Record<string, { fits: (value: unknown) => boolean; type: string }> = {
  ...Object.fromEntries(
    ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'].map((name) => [
      name,
      { fits: isText, type: 'string' },
    ]),
  ),
  labels: { fits: isTextMap, type: 'map[string]string' },
  annotations: { fits: isTextMap, type: 'map[string]string' },
  finalizers: { fits: (value) => Array.isArray(value) && value.every(isText), type: '[]string' },
  ownerReferences: { fits: (value) => Array.isArray(value) && value.every(isObject), type: '[]v1.OwnerReference' },
};

/** Metadata as it came, without nulls. @throws ApiError 400 for a field of another type: whatever reads it relies on that */
export function typedMetadata(given: Fields): Fields {
  const metadata = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  for (const [name, { fits, type }] of Object.entries(FORMS)) {
    const value = metadata[name];
    if (value !== undefined && !fits(value))
      throw badRequest(`json: cannot unmarshal into Go struct field ObjectMeta.metadata.${name} of type ${type}`);
  }
  return metadata;
}

const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
const LABEL_KEY = /^([a-z0-9][-a-z0-9.]{0,252}\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
/** All annotations of an object together, bytes: also the copy that a client-side apply keeps of it. */
const MAX_ANNOTATIONS = 262_144;

/** What is wrong with labels, annotations and owners. */
export function metadataProblems({ metadata }: Stored): Cause[] {
  return [...labelProblems(metadata.labels ?? {}), ...annotationProblems(metadata), ...ownerProblems(metadata)];
}

function labelProblems(labels: Record<string, string>): Cause[] {
  const causes = (texts: string[], form: RegExp, what: string, rule: string): Cause[] =>
    texts
      .filter((text) => !form.test(text))
      .map((text) => ({
        reason: 'FieldValueInvalid',
        field: 'metadata.labels',
        message: `Invalid value: ${JSON.stringify(text)}: ${what} must ${rule}`,
      }));
  const characters =
    "at most 63 characters: alphanumeric, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [
    ...causes(Object.keys(labels), LABEL_KEY, 'the name of a label', `be ${characters}`),
    ...causes(Object.values(labels), LABEL_VALUE, 'a valid label', `be an empty string or ${characters}`),
  ];
}

function annotationProblems({ annotations = {} }: Stored['metadata']): Cause[] {
  const size = Object.entries(annotations).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (size <= MAX_ANNOTATIONS) return [];
  const message = `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`;
  return [{ reason: 'FieldValueTooLong', field: 'metadata.annotations', message }];
}

function ownerProblems({ ownerReferences = [] }: Stored['metadata']): Cause[] {
  return ownerReferences.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const).flatMap((name) =>
      isText(owner[name]) && owner[name] !== ''
        ? []
        : [
            {
              reason: 'FieldValueInvalid',
              field: `metadata.ownerReferences.${name}`,
              message: `Invalid value: ${JSON.stringify(owner[name] ?? '')}: must not be empty`,
            },
          ],
    ),
  );
}
