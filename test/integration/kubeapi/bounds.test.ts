import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Answer, CRDS_PATH, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { rulesOf, type Schema, violations } from '../../fixtures/kubeapi/violations.ts';
import { eventually } from '../../tools/kube.ts';

const CRDS = new URL('../../../crds/', import.meta.url).pathname;
const DNS = 'metadata.name must be a DNS label: lower case letters, digits and dashes, 63 characters at most';
const HOURS = { days: [1], startHour: 9, endHour: 17, timezoneMode: 'account' };

/** Smallest specs that are taken. */
const SPECS: Record<string, Json> = {
  Workspace: { displayName: 'Acme', owner: 'ann@example.com' },
  Campaign: { workspaceRef: { name: 'acme' }, title: 'Pilot' },
  Workflow: {
    campaignRef: { name: 'pilot' },
    name: 'Flow',
    graph: { nodes: [{ nodeType: 'source:manual' }], edges: [] },
  },
};

interface Definition {
  metadata: Json;
  spec: { names: { kind: string; plural: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
}

/** For each rule: what breaks it, in one write or as a change of what was there. */
const BROKEN: Record<string, { name?: string; spec?: Json; change?: Json; from?: Json }> = {
  [`Workspace: ${DNS}`]: { name: 'a.b' },
  [`Campaign: ${DNS}`]: { name: 'a.b' },
  [`Workflow: ${DNS}`]: { name: 'a.b' },
  'Workspace: startHour must be before endHour': { spec: { businessHours: { ...HOURS, startHour: 17 } } },
  'Campaign: startHour must be before endHour': { spec: { businessHours: { ...HOURS, startHour: 17 } } },
  'Workspace: timezone is required when timezoneMode is fixed': {
    spec: { businessHours: { ...HOURS, timezoneMode: 'fixed' } },
  },
  'Campaign: timezone is required when timezoneMode is fixed': {
    spec: { businessHours: { ...HOURS, timezoneMode: 'fixed' } },
  },
  'Campaign: workspaceRef is immutable; create a new object instead': { change: { workspaceRef: { name: 'other' } } },
  'Workflow: campaignRef is immutable; create a new object instead': { change: { campaignRef: { name: 'other' } } },
  'Workflow: every edge must point at positions in nodes': {
    spec: { graph: { nodes: [{ nodeType: 'source:manual' }], edges: [{ sourceIndex: 0, targetIndex: 1 }] } },
  },
  'Campaign: this move is not allowed; see the states of a campaign: draft, active, paused, completed, archived': {
    from: { state: 'completed' },
    change: { state: 'draft' },
  },
};

describe('Kubernetes API: bounds and rules of the three kinds', () => {
  let api: TestApi;
  let definitions: Definition[];

  before(async () => {
    api = await TestApi.start();
    const files = (await readdir(CRDS)).filter((name) => name.endsWith('.yaml'));
    definitions = await Promise.all(
      files.map(async (name) => parse(await readFile(`${CRDS}${name}`, 'utf8')) as Definition),
    );
    for (const definition of definitions) {
      await api.call('POST', CRDS_PATH, definition);
      const path = pathOf(definition);
      await eventually(`${path} is served`, async () => (await api.call('GET', path)).code === 200, 30_000);
    }
  });
  after(() => api.stop());

  const pathOf = ({ spec }: Definition): string =>
    `/apis/outrider.dev/v1alpha1/namespaces/default/${spec.names.plural}`;
  const schemaOf = ({ spec }: Definition): Schema => spec.versions[0]?.schema.openAPIV3Schema ?? {};
  const write = (definition: Definition, name: string, spec: unknown, query = ''): Promise<Answer> =>
    api.call('POST', `${pathOf(definition)}${query}`, {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: definition.spec.names.kind,
      metadata: { name },
      spec,
    });
  const saidOf = (answer: Answer): string[] =>
    (answer.body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);

  for (const kind of Object.keys(SPECS)) {
    it(`${kind}: each bound of the schema refuses what is past it, naming field and bound`, async function () {
      this.timeout(120_000);
      const definition = definitions.find(({ spec }) => spec.names.kind === kind);
      if (!definition) throw new Error(`no definition of ${kind}`);
      expect((await write(definition, 'fits', SPECS[kind], '?dryRun=All')).code).to.equal(201);
      const spec = schemaOf(definition).properties?.['spec'] ?? {};
      let count = 0;
      for (const one of violations(spec, 'spec', (value) => (isRecord(value) ? { ...SPECS[kind], ...value } : value))) {
        const required = one.name.endsWith(': required');
        const body = required && /^spec\.\w+: /.test(one.name) ? without(SPECS[kind] ?? {}, one.field) : one.spec;
        const answer = await write(definition, 'past', body, '?dryRun=All');
        expect(answer.code, `${one.name}: ${answer.body.message}`).to.equal(422);
        const hit = saidOf(answer).some((said) => said.startsWith(one.field) && one.says.test(said));
        expect(hit, `${one.name}: ${saidOf(answer).join('; ')}`).to.equal(true);
        count++;
      }
      expect(count).to.be.greaterThan(20);
    });
  }

  it('every rule has an example that it refuses, with its message', async () => {
    const rules = definitions.flatMap((one) =>
      rulesOf(schemaOf(one)).map((message) => `${one.spec.names.kind}: ${message}`),
    );
    expect(Object.keys(BROKEN)).to.have.members(rules);
    let made = 0;
    for (const [rule, { name = `rule-${made++}`, spec = {}, change, from = {} }] of Object.entries(BROKEN)) {
      const kind = rule.slice(0, rule.indexOf(':'));
      const definition = definitions.find((one) => one.spec.names.kind === kind);
      if (!definition) throw new Error(rule);
      const answer = await write(definition, name, { ...SPECS[kind], ...from, ...spec });
      if (change) expect(answer.code, answer.body.message).to.equal(201);
      const refused = change ? await api.patch(`${pathOf(definition)}/${name}`, 'merge', { spec: change }) : answer;
      expect(refused.code, rule).to.equal(422);
      expect(refused.body.message).to.contain(rule.slice(rule.indexOf(':') + 2));
    }
  });
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(spec: Json, field: string): Json {
  const { [field.replace('spec.', '')]: _left, ...rest } = spec;
  return rest;
}
