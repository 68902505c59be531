import { expect } from 'chai';
import { campaignSpec } from '../../../pkg/api/campaign.ts';
import { customResourceDefinition } from '../../../pkg/api/crd.ts';
import { KINDS } from '../../../pkg/api/kinds.ts';
import { objectId, objectRef } from '../../../pkg/api/object.ts';
import { workflowSpec } from '../../../pkg/api/workflow.ts';
import { CAMPAIGN_STATES, DEDUPE_SCOPES, IN_FLIGHT_MODES, REVIEW_MODES } from '../../../pkg/domain/vocabulary.ts';

type Schema = Record<string, unknown>;

/** Every schema below this one, with its path. */
function* walk(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>))
    yield* walk(inner, `${path}.${name}`);
  const { items, additionalProperties } = schema as { items?: Schema; additionalProperties?: Schema };
  if (items) yield* walk(items, `${path}[]`);
  if (additionalProperties) yield* walk(additionalProperties, `${path}{}`);
}

describe('resource definitions', () => {
  for (const kind of Object.values(KINDS)) {
    const crd = customResourceDefinition(kind) as { spec: { names: object; versions: Schema[] } };
    const version = crd.spec.versions[0] as { schema: { openAPIV3Schema: Schema } } & Schema;
    const schemas = [...walk(version.schema.openAPIV3Schema, kind.kind)].filter(([path]) =>
      /\.(spec|status)/.test(path),
    );

    it(`${kind.kind}: every string, list and map has a bound`, () => {
      for (const [path, schema] of schemas) {
        if (schema['type'] === 'string' && !schema['enum']) expect(schema, path).to.have.property('maxLength');
        if (schema['type'] === 'array') expect(schema, path).to.have.property('maxItems');
        if (schema['additionalProperties']) expect(schema, path).to.have.property('maxProperties');
      }
    });

    it(`${kind.kind}: is structural (no false additionalProperties, a type everywhere)`, () => {
      for (const [path, schema] of schemas) {
        expect(schema['additionalProperties'], path).not.to.equal(false);
        if (!schema['x-kubernetes-int-or-string']) expect(schema, path).to.have.property('type');
      }
    });

    it(`${kind.kind}: has a status subresource, the category outrider and described columns`, () => {
      expect(version['subresources']).to.deep.equal({ status: {} });
      expect(crd.spec.names).to.deep.include({ categories: ['outrider'] });
      for (const column of kind.columns) expect(column.description, column.name).not.to.equal('');
    });
  }

  it('word lists are those of the vocabulary', () => {
    const { reviewMode, state, contactPolicy } = campaignSpec.shape;
    expect(reviewMode.unwrap().options).to.deep.equal([...REVIEW_MODES]);
    expect(state.unwrap().options).to.deep.equal([...CAMPAIGN_STATES]);
    expect(contactPolicy.unwrap().shape.dedupeScope.unwrap().options).to.deep.equal([...DEDUPE_SCOPES]);
    expect(workflowSpec.shape.inFlight.unwrap().options).to.deep.equal([...IN_FLIGHT_MODES]);
  });

  it('defaults stand in the schema', () => {
    const spec = campaignSpec.parse({ workspaceRef: { name: 'acme' }, title: 'T' });
    expect(spec).to.deep.include({ scoreMin: 50, reviewMode: 'off', state: 'draft', creditBudget: 0 });
    expect(spec.contactPolicy).to.include({ dedupeScope: 'workspace', recontactAfterDays: 90 });
  });

  it('ids are names at home and qualified elsewhere, and lead back', () => {
    for (const [namespace, id] of [
      ['outrider', 'acme'],
      ['tenant-a', 'tenant-a.acme'],
    ] as const) {
      expect(objectId(namespace, 'acme', 'outrider')).to.equal(id);
      expect(objectRef(id, 'outrider')).to.deep.equal({ namespace, name: 'acme' });
    }
  });
});
