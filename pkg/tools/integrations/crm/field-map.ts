import { z } from 'zod';
import { FIELD_OWNERS, type FieldOwner } from '../../../domain/field-ownership.ts';
import { OPT_OUT_COLUMNS, type OptOutColumn } from '../../../domain/opt-out-column.ts';
import type { CrmLists } from '../../../providers/crm/crm-lists.ts';
import { invalidInput } from '../../errors.ts';
import { LEAD_FIELDS, type LeadField } from '../../leads/csv/headers.ts';

/** Where a property of a CRM goes; `optOut`: it says who must not be contacted. */
export type FieldTarget = { field: LeadField } | { custom: string } | { optOut: OptOutColumn };

/** A property, where it goes, and whose value counts (null: nobody said). */
export interface MappedField {
  property: string;
  target: FieldTarget;
  owner: FieldOwner | null;
}

const MOST_FIELDS = 50;
const MOST_NAME = 100;
const mapped = z.union([z.string(), z.strictObject({ to: z.string(), owner: z.enum(FIELD_OWNERS).optional() })]);
/** A mapping as it is stored. */
export const storedMapping = z.record(z.string(), mapped);
export type StoredMapping = z.output<typeof storedMapping>;

/** Checks a mapping that a caller gives. @param name of the parameter. @throws UserError */
export function parseMapping(name: string, given: Readonly<Record<string, unknown>>): StoredMapping {
  const entries = Object.entries(given);
  if (entries.length > MOST_FIELDS) throw invalidInput(name, `may have at most ${MOST_FIELDS} properties`);
  for (const [property, value] of entries) {
    const path = `${name}.${property.slice(0, 60).toWellFormed()}`;
    const one = mapped.safeParse(value);
    const to = one.success ? (typeof one.data === 'string' ? one.data : one.data.to) : '';
    if (property === '' || property.length > MOST_NAME || targetOf(to) === null) {
      const owners = `{to, owner: ${FIELD_OWNERS.join('|')}}`;
      const targets = [...LEAD_FIELDS, ...OPT_OUT_COLUMNS].join(', ');
      throw invalidInput(path, `must be one of ${targets} or customFields.<name>, or ${owners}`);
    }
  }
  return storedMapping.parse(given);
}

function targetOf(to: string): FieldTarget | null {
  const custom = /^customFields\.([A-Za-z0-9_]{1,60})$/.exec(to)?.[1];
  if (custom !== undefined) return custom === '__proto__' ? null : { custom };
  const optOut = OPT_OUT_COLUMNS.find((one) => one === to);
  if (optOut) return { optOut };
  const field = LEAD_FIELDS.find((one) => one === to);
  return field ? { field } : null;
}

/** Custom fields that owner and stage at the CRM go to, where the integration works both ways. */
const OWNER = 'crmOwner';
const STAGE = 'crmStage';

/**
 * Where the properties of a CRM go: as its adapter knows them, as the integration maps them, as the import does; the later one wins.
 */
export function fieldMap(
  lists: Pick<CrmLists, 'fields' | 'optOuts' | 'owner' | 'stage'>,
  { twoWay, mappings }: { twoWay: boolean; mappings: readonly StoredMapping[] },
): MappedField[] {
  let fields: MappedField[] = Object.entries(lists.fields).flatMap(([property, to]) => {
    const target = targetOf(to);
    return target ? [{ property, target, owner: null }] : [];
  });
  for (const mapping of mappings) {
    const next = Object.entries(mapping).flatMap(([property, value]): MappedField[] => {
      const { to, owner = null } = typeof value === 'string' ? { to: value } : { owner: null, ...value };
      const target = targetOf(to);
      return target ? [{ property, target, owner }] : [];
    });
    // Several properties may say who must not be contacted.
    const taken = new Set(
      next.flatMap(({ property, target }) => ('optOut' in target ? [property] : [property, keyOf(target)])),
    );
    fields = [...fields.filter((one) => !taken.has(one.property) && !taken.has(keyOf(one.target))), ...next];
  }
  const marking = new Set(fields.flatMap(({ property, target }) => ('optOut' in target ? [property] : [])));
  const marks = Object.entries(lists.optOuts).filter(([property]) => !marking.has(property));
  fields.push(...marks.map(([property, optOut]): MappedField => ({ property, target: { optOut }, owner: null })));
  if (!twoWay) return fields;
  return [
    ...fields,
    { property: lists.owner, target: { custom: OWNER }, owner: 'theirs' },
    { property: lists.stage, target: { custom: STAGE }, owner: 'theirs' },
  ];
}

/** Of a target, as mappings write it. */
export function keyOf(target: FieldTarget): string {
  if ('optOut' in target) return target.optOut;
  return 'field' in target ? target.field : `customFields.${target.custom}`;
}
