import { type IncomingMode, incomingMode } from '../../../domain/field-ownership.ts';
import { matchKeys, personForms } from '../../../domain/same-person.ts';
import type { Tx } from '../../../postgres/database.ts';
import type { CrmPerson } from '../../../providers/crm/crm-lists.ts';
import { echoKey } from '../../../store/integrations/integration-objects.ts';
import { type ImportLead, keepMatchKeys, mergeLeads, provenanceOf } from '../../../store/leads/imports.ts';
import { LEAD_FIELDS, type LeadField } from '../../leads/csv/headers.ts';
import { keyOf, type MappedField } from './field-map.ts';

/** A lead that is there, with what the CRM tells of them. */
export interface Merge {
  lead: ImportLead;
  person: CrmPerson;
}

export interface MergeRules {
  workspaceId: string;
  fields: readonly MappedField[];
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  /** As `echoesOf`. */
  echoes: ReadonlySet<string>;
  /** Provenance of what is stored. */
  source: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Fields that follow from others and go the way of these. */
const FOLLOWS: Partial<Record<LeadField, readonly LeadField[]>> = {
  fullName: ['firstName', 'lastName'],
  firstName: ['fullName'],
  lastName: ['fullName'],
  seniority: ['title'],
  companyDomain: ['email'],
};
const MODES = ['fill_empty', 'overwrite', 'replace'] as const;

/** Merges what a CRM tells into leads that are there, each field by its owner. @returns how many leads may have changed */
export async function mergePeople(tx: Tx, merges: readonly Merge[], rules: MergeRules): Promise<number> {
  const { workspaceId, source, now } = rules;
  const since = await provenanceOf(
    tx,
    merges.map(({ lead }) => lead.id),
  );
  const split = merges.map((merge) => splitOf(merge, rules, since.get(merge.lead.id) ?? {}));
  for (const mode of MODES) {
    const rows = split.flatMap((one) => one[mode] ?? []);
    await mergeLeads(tx, workspaceId, rows, mode, source, now);
  }
  const changed = merges
    .filter((_, at) => MODES.some((mode) => split[at]?.[mode] !== undefined))
    .map(({ lead }) => lead);
  await keepMatchKeys(tx, workspaceId, changed);
  await tx.exec('select app.complete_leads($1, $2)', [changed.map((lead) => lead.id), now]);
  return changed.length;
}

type Split = Partial<Record<IncomingMode, ImportLead>>;

/** A row by what becomes of its fields: each part holds those of one mode, and the others are empty in it. */
function splitOf({ lead, person }: Merge, rules: MergeRules, since: Readonly<Record<string, number>>): Split {
  const modeOf = (field: string): IncomingMode => {
    const mapped = sourceOf(field, rules.fields, person);
    const value = mapped && person.properties[mapped.property];
    const echo =
      mapped !== undefined && value !== undefined && rules.echoes.has(echoKey(person.id, mapped.property, value));
    return incomingMode({
      owner: mapped?.owner ?? null,
      onDuplicate: rules.onDuplicate,
      echo,
      theirsAt: person.changedAt,
      oursAt: since[field] ?? null,
    });
  };
  const modes = new Map<string, IncomingMode>();
  for (const field of LEAD_FIELDS) if (lead[field]) modes.set(field, modeOf(field));
  for (const name of Object.keys(lead.customFields)) modes.set(`customFields.${name}`, modeOf(`customFields.${name}`));
  const split: Split = {};
  for (const mode of MODES) {
    const fields = new Set([...modes].filter(([, own]) => own === mode).map(([field]) => field));
    if (fields.size > 0) split[mode] = partOf(lead, fields);
  }
  return split;
}

/** The property from which a field comes; of one that follows from others, theirs. */
function sourceOf(field: string, fields: readonly MappedField[], person: CrmPerson): MappedField | undefined {
  const told = fields.filter(({ property }) => person.properties[property] !== undefined);
  const own = told.findLast(({ target }) => keyOf(target) === field);
  if (own) return own;
  const before = FOLLOWS[field as LeadField] ?? [];
  return told.find(({ target }) => 'field' in target && before.includes(target.field));
}

function partOf(lead: ImportLead, fields: ReadonlySet<string>): ImportLead {
  const texts = Object.fromEntries(LEAD_FIELDS.map((name) => [name, fields.has(name) ? lead[name] : '']));
  const custom = Object.entries(lead.customFields).filter(([name]) => fields.has(`customFields.${name}`));
  const part = {
    ...lead,
    ...(texts as Record<LeadField, string>),
    email: fields.has('email') ? lead.email : null,
    profileId: fields.has('profileUrl') ? lead.profileId : null,
    companyKey: fields.has('company') ? lead.companyKey : '',
    customFields: Object.fromEntries(custom),
  };
  return { ...part, matchKeys: matchKeys(personForms({ ...part, email: part.email ?? '' })) };
}
