import { type Cause, invalid } from './status.ts';

/** What a write or a deletion may be asked with, by name of the option. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  dryRun: ['All'],
  fieldValidation: ['Ignore', 'Strict', 'Warn'],
  propagationPolicy: ['Foreground', 'Background', 'Orphan'],
};
/** Bytes of a field manager's name. */
const MAX_MANAGER = 128;

/**
 * Options of a write. One that is not known would be passed over otherwise: `dryRun=true` would write.
 * @param query what came in the URL
 * @param body what came in a DELETE's body
 * @throws ApiError 422 as a real server answers it
 */
export function checkOptions(kind: string, query: URLSearchParams, body: Record<string, unknown> = {}): void {
  const causes = Object.entries(KNOWN).flatMap(([field, known]): Cause[] => {
    const given = [query.getAll(field), body[field] ?? []].flat().filter((value) => value !== '');
    const odd = given.find((value) => !known.includes(String(value)));
    if (odd === undefined) return [];
    const message = `Unsupported value: ${JSON.stringify(odd)}: supported values: ${known.map((one) => `"${one}"`).join(', ')}`;
    return [{ reason: 'FieldValueNotSupported', field, message }];
  });
  const manager = query.get('fieldManager') ?? '';
  if (Buffer.byteLength(manager) > MAX_MANAGER)
    causes.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: `Too long: may not be more than ${MAX_MANAGER} bytes`,
    });
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager))
    causes.push({
      reason: 'FieldValueInvalid',
      field: 'fieldManager',
      message: `Invalid value: ${JSON.stringify(manager)}: invalid character`,
    });
  if (causes.length > 0) throw invalid({ kind, group: 'meta.k8s.io' }, '', causes);
}
