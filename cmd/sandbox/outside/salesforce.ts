import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept, note } from './book.ts';
import { cellOf, parseSoql, type Row } from './soql.ts';

/** Fields that an object shows besides those that rows have; related objects by the name of their field. */
const OBJECTS: Readonly<Record<string, { key: string; fields: string; related?: Readonly<Record<string, string>> }>> = {
  Contact: {
    key: '003',
    fields: `Id FirstName LastName Email Title Phone MailingCity MailingCountry Industry HasOptedOutOfEmail DoNotCall
      LastModifiedDate OwnerId AccountId`,
    related: { AccountId: 'Account', OwnerId: 'Owner' },
  },
  Lead: {
    key: '00Q',
    fields: `Id FirstName LastName Email Title Company Website Industry City Country Phone Status HasOptedOutOfEmail DoNotCall
      LastModifiedDate OwnerId`,
    related: { OwnerId: 'Owner' },
  },
  Account: { key: '001', fields: 'Id Name Website LastModifiedDate' },
  Campaign: { key: '701', fields: 'Id Name LastModifiedDate' },
  CampaignMember: { key: '00v', fields: 'Id CampaignId ContactId LeadId LastModifiedDate' },
  Opportunity: { key: '006', fields: 'Id Name StageName CloseDate NextStep LastModifiedDate' },
  Task: { key: '00T', fields: 'Id Subject WhoId Status Priority LastModifiedDate' },
  // Not an object of theirs: how tests make a list view, which people make by hand.
  ListView: { key: '00B', fields: 'Id Name SobjectType Query' },
};
type Body = Record<string, unknown>;
type Stored = Body & { id: number };

/** `/services/data/vNN.N`: queries, objects one by one, list views, descriptions. */
export function salesforce(world: World, call: Call): Reply {
  const [room = '', type = '', id, part] = call.path.slice(5);
  if (!/^v\d+\.\d$/.test(call.path[4] ?? ''))
    throw new Refusal(404, 'not_found', 'The requested resource does not exist');
  if (call.method === 'GET' && room === 'query') return query(world, call);
  const object = Object.hasOwn(OBJECTS, type) ? OBJECTS[type] : undefined;
  if (room !== 'sobjects' || !object) throw new Refusal(404, 'not_found', 'The requested resource does not exist');
  if (call.method === 'GET' && id === 'describe') return describe(world, type);
  if (call.method === 'GET' && id === 'listviews') return listViews(world, call, type, part);
  if (call.method === 'POST' && id === undefined) return create(world, call, type);
  const stored = kept<Body>(world.store, 'salesforce', type).find((one) => idOf(type, one.id) === id);
  if (!stored) throw new Refusal(404, 'not_found', 'Provided external ID field does not exist or is not accessible');
  if (call.method === 'GET') return { status: 200, body: rowOf(world, type, stored) };
  if (call.method === 'PATCH') return update(world, call, type, stored);
  throw new Refusal(405, 'method_not_allowed', `HTTP Method '${call.method}' not allowed`);
}

/** Fifteen letters and digits that sort as they were made. */
function idOf(type: string, id: number): string {
  return `${OBJECTS[type]?.key ?? '000'}${id.toString(36).toUpperCase().padStart(12, '0')}`;
}

function rowOf(world: World, type: string, { id, at, ...body }: Stored): Row {
  const own: Body = {
    Id: idOf(type, id),
    ...body,
    LastModifiedDate: new Date(Number(at)).toISOString().replace('Z', '+0000'),
    attributes: { type, url: `/services/data/v50.0/sobjects/${type}/${idOf(type, id)}` },
  };
  const account = kept<Body>(world.store, 'salesforce', 'Account').find(
    (one) => idOf('Account', one.id) === body['AccountId'],
  );
  return {
    ...own,
    ...(account ? { Account: { attributes: { type: 'Account' }, Name: account['Name'] } } : {}),
    ...(body['OwnerId'] ? { Owner: { attributes: { type: 'User' }, Name: `User ${String(body['OwnerId'])}` } } : {}),
  };
}

/** Fields that the administrator of this organisation hides from everybody (field-level security). */
function hidden(world: World): ReadonlySet<string> {
  return new Set(kept<{ name: string }>(world.store, 'salesforce', 'hidden').map((one) => one.name));
}

function fieldsOf(world: World, type: string): { name: string; relationshipName: string | null }[] {
  const { fields = '', related = {} } = OBJECTS[type] ?? {};
  const out = hidden(world);
  const made = kept<Body>(world.store, 'salesforce', type).flatMap((row) =>
    Object.keys(row).filter((name) => /__c$/.test(name)),
  );
  return [...new Set([...fields.split(/\s+/), ...made])]
    .filter((name) => !out.has(name))
    .map((name) => ({ name, relationshipName: related[name] ?? null }));
}

function describe(world: World, type: string): Reply {
  const fields = fieldsOf(world, type).map((field) => ({
    ...field,
    label: field.name,
    type: 'string',
    updateable: true,
  }));
  return { status: 200, body: { name: type, label: type, queryable: true, fields } };
}

function query(world: World, call: Call): Reply {
  const soql = parseSoql(call.query.get('q') ?? '');
  const fields = fieldsOf(world, soql.from);
  if (fields.length === 0) throw new Refusal(400, 'invalid_type', `sObject type '${soql.from}' is not supported.`);
  const known = new Set(fields.flatMap(({ name, relationshipName }) => [name, relationshipName ?? []].flat()));
  const unknown = soql.columns.find((column) => !known.has(column.split('.')[0] ?? ''));
  if (unknown !== undefined)
    throw new Refusal(400, 'invalid_field', `No such column '${unknown}' on entity '${soql.from}'.`);
  const rows = kept<Body>(world.store, 'salesforce', soql.from).map((one) => rowOf(world, soql.from, one));
  const matching = rows.filter(soql.matches);
  const records = matching.slice(0, soql.limit).map((row) => projected(row, soql.columns));
  return { status: 200, body: { totalSize: records.length, done: true, records } };
}

function projected(row: Row, columns: readonly string[]): Row {
  const shown: Body = { attributes: row['attributes'] };
  for (const column of columns) {
    const [name = '', inner] = column.split('.');
    if (inner === undefined) shown[name] = row[name] ?? null;
    else
      shown[name] = row[name] === undefined ? null : { ...(shown[name] as Body), [inner]: cellOf(row, column) ?? null };
  }
  return shown;
}

function listViews(world: World, call: Call, type: string, id: string | undefined): Reply {
  const views = kept<Body>(world.store, 'salesforce', 'ListView').filter((one) => one['SobjectType'] === type);
  if (id === undefined) {
    const listviews = views.map((one) => ({
      id: idOf('ListView', one.id),
      label: one['Name'],
      developerName: String(one['Name']).replace(/\W+/g, '_'),
      soqlCompatible: true,
      describeUrl: `/services/data/v50.0/sobjects/${type}/listviews/${idOf('ListView', one.id)}/describe`,
      resultsUrl: `/services/data/v50.0/sobjects/${type}/listviews/${idOf('ListView', one.id)}/results`,
    }));
    return {
      status: 200,
      body: { done: true, nextRecordsUrl: null, size: listviews.length, sobjectType: type, listviews },
    };
  }
  const view = views.find((one) => idOf('ListView', one.id) === id);
  if (!view || call.path.at(-1) !== 'describe')
    throw new Refusal(404, 'not_found', 'The requested resource does not exist');
  return {
    status: 200,
    body: { id, query: view['Query'], sobjectType: type, columns: [], orderBy: [], scope: 'everything' },
  };
}

function create(world: World, call: Call, type: string): Reply {
  const given = z.record(z.string(), z.unknown()).parse(call.body);
  if ((type === 'Contact' || type === 'Lead') && !given['LastName'])
    throw new Refusal(400, 'required_field_missing', 'Required fields are missing: [LastName]');
  if (type === 'Lead' && !given['Company'])
    throw new Refusal(400, 'required_field_missing', 'Required fields are missing: [Company]');
  const least = type === 'Contact' || type === 'Lead' ? { HasOptedOutOfEmail: false, DoNotCall: false } : {};
  const id = keep(world.store, 'salesforce', type, { ...least, ...given, at: world.clock.now() });
  noteWrite(world, call, `create ${type}`, given);
  return { status: 201, body: { id: idOf(type, id), success: true, errors: [] } };
}

function update(world: World, call: Call, type: string, { id, ...stored }: Stored): Reply {
  const given = z.record(z.string(), z.unknown()).parse(call.body);
  const out = hidden(world);
  const unseen = Object.keys(given).find((name) => out.has(name));
  if (unseen !== undefined)
    throw new Refusal(400, 'invalid_field_for_insert_update', `Unable to create/update fields: ${unseen}.`);
  change(world.store, id, { ...stored, ...given, at: world.clock.now() });
  noteWrite(world, call, `update ${type}`, { ...stored, ...given });
  return { status: 204, body: {}, text: '' };
}

function noteWrite(world: World, call: Call, action: string, row: Body): void {
  const about = String(row['Email'] ?? row['Name'] ?? row['Subject'] ?? row['LastName'] ?? '');
  const { idempotencyKey, body } = call;
  note(world.store, { at: world.clock.now(), service: 'salesforce', action, about, idempotencyKey, headers: {}, body });
}
