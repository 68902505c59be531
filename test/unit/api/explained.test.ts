import { expect } from 'chai';
import { customResourceDefinition } from '../../../pkg/api/crd.ts';
import { KINDS } from '../../../pkg/api/kinds.ts';

type Schema = {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
};

/** Paths of what `kubectl explain` says nothing about. */
function unexplained(schema: Schema, path: string): string[] {
  const own = schema.description?.trim() || path.endsWith('metadata') ? [] : [path];
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => unexplained(one, `${path}.${name}`));
  const item = schema.items ?? schema.additionalProperties;
  return [...own, ...below, ...(item ? unexplained(item, `${path}[]`) : [])];
}

describe('what a person types in kubectl', () => {
  for (const kind of Object.values(KINDS)) {
    const { spec } = customResourceDefinition(kind) as {
      spec: {
        names: Record<string, unknown>;
        versions: {
          schema: { openAPIV3Schema: Schema };
          additionalPrinterColumns: { name: string; description: string }[];
        }[];
      };
    };
    it(`${kind.kind}: kubectl explain has a text for each field, kubectl get one for each column`, () => {
      const [version] = spec.versions;
      expect(unexplained(version?.schema.openAPIV3Schema ?? {}, kind.kind)).to.deep.equal([]);
      const columns = version?.additionalPrinterColumns ?? [];
      expect(columns.filter(({ description }) => description === '').map(({ name }) => name)).to.deep.equal([]);
      expect(columns.map(({ name }) => name)).to.include.members(['Ready', 'Reason', 'Hold', 'Age']);
    });
  }

  it('short names are of one kind each, and of no kind of Kubernetes', () => {
    const all = Object.values(KINDS).flatMap(({ shortNames, singular, plural }) => [...shortNames, singular, plural]);
    expect(new Set(all).size).to.equal(all.length);
    const taken =
      'po svc deploy rs sts ds cm ns no pv pvc sa ep ing netpol cj crd crds pdb hpa sc ev csr limits quota rc pc cs wf'.split(
        ' ',
      );
    expect(all.filter((name) => taken.includes(name))).to.deep.equal([]);
    expect(Object.values(KINDS).map(({ shortNames }) => shortNames[0])).to.deep.equal(['ows', 'ocamp', 'owf']);
  });
});
