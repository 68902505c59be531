import { expect } from 'chai';
import { z } from 'zod';
import { inputSchemaOf } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { CATALOG, expectedSchema, publishedSchema, withoutToolNames } from './catalog.ts';

const catalog = new Map(CATALOG.tools.map((entry) => [entry.name, entry]));

describe('contract: tools against the catalog', () => {
  it('declares only tools of the catalog, each once, in names that clients accept', () => {
    const names = ALL_TOOLS.map((entry) => entry.name);
    expect(names.filter((name) => !catalog.has(name))).to.deep.equal([]);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.filter((name) => !/^[a-z_]{1,64}$/.test(name))).to.deep.equal([]);
  });

  it('lists the tools that are not built yet', () => {
    const built = new Set<string>(ALL_TOOLS.map((entry) => entry.name));
    const missing = CATALOG.tools.map((entry) => entry.name).filter((name) => !built.has(name));
    if (process.env['LIST_MISSING'])
      console.log(`${built.size} built, ${missing.length} not yet: ${missing.join(' ')}`);
    expect(built.size + missing.length).to.equal(CATALOG.tools.length);
  });

  for (const entry of ALL_TOOLS) {
    const wanted = catalog.get(entry.name);
    if (!wanted) continue;

    it(`${entry.name}: domain, title, scope, category and annotations`, () => {
      const { hints } = entry;
      expect({ domain: entry.domain, title: entry.title, scope: entry.scope, category: entry.category }).to.deep.equal({
        domain: wanted.domain,
        title: wanted.title,
        scope: wanted.scope,
        category: wanted.category,
      });
      expect({
        readOnlyHint: hints.readOnly,
        destructiveHint: hints.destructive,
        idempotentHint: hints.idempotent,
        openWorldHint: hints.openWorld,
      }).to.deep.equal(wanted.annotations);
    });

    it(`${entry.name}: description, but for names of tools that are not built`, () => {
      expect(withoutToolNames(entry.description)).to.equal(withoutToolNames(wanted.description));
    });

    it(`${entry.name}: parameters with types, bounds and defaults; nothing else is accepted`, () => {
      const schema = inputSchemaOf(entry);
      expect(schema['type']).to.equal('object');
      expect(schema['additionalProperties']).to.equal(false);
      const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
      const published = Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, publishedSchema(inner)]),
      );
      const expected = Object.fromEntries(
        wanted.params.map((param) => [param.name, expectedSchema({ ...param, required: [] })]),
      );
      for (const param of wanted.params) {
        const shape = expected[param.name];
        if (shape && param.properties) shape['required'] = published[param.name]?.['required'];
      }
      expect(published).to.deep.equal(expected);
      const required = wanted.params.filter((param) => param.required).map((param) => param.name);
      expect([...((schema['required'] as string[] | undefined) ?? [])].sort()).to.deep.equal(required.sort());
    });

    it(`${entry.name}: keys of the result`, () => {
      const output = z.toJSONSchema(entry.output, { io: 'output', unrepresentable: 'any' });
      const keys = Object.keys((output as { properties?: object }).properties ?? {});
      expect(keys.sort()).to.deep.equal(Object.keys(wanted.result).sort());
    });
  }
});
