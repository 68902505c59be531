import { expect } from 'chai';
import { readXml, type XmlElement } from '../../../../pkg/base/read-xml.ts';
import { layOut } from '../../../../pkg/mcp/pictures/lay-out.ts';
import { type DrawnGraph, drawnPart, shapeOf } from '../../../../pkg/mcp/pictures/picture.ts';
import { type NodeCounts, pictureSvg } from '../../../../pkg/mcp/pictures/picture-svg.ts';

const HOSTILE = '<img src=x onerror="alert(1)">&\u0000\u202e]]><script>alert(2)</script>';

function drawn(graph: DrawnGraph, counts: NodeCounts[] = [], name = 'First touch'): string {
  const part = drawnPart(graph);
  return pictureSvg({ name, graph: part, layout: layOut(shapeOf(part)), counts });
}

const allOf = (element: XmlElement): XmlElement[] => [element, ...element.children.flatMap(allOf)];
const SPACE = 'http://www.w3.org/2000/svg|';

const node = (nodeId: string, label = ''): DrawnGraph['nodes'][number] => ({ nodeId, nodeType: 'flow:wait', label });

describe('pictures as SVG', () => {
  it('V3: names, labels and branches of strangers are text, and the file is well formed', () => {
    const svg = drawn(
      {
        nodes: [node('a', HOSTILE), { ...node('b', 'x'.repeat(120)), nodeType: HOSTILE }],
        edges: [{ sourceIndex: 0, targetIndex: 1, branch: HOSTILE }],
      },
      [{ nodeId: 'a', standing: 3, waiting: { [HOSTILE]: 2 } }],
      HOSTILE,
    );
    const elements = allOf(readXml(svg));
    expect([...new Set(elements.map(({ name }) => name.replace(SPACE, '')))].sort()).to.deep.equal(
      ['defs', 'g', 'marker', 'path', 'rect', 'svg', 'text', 'title'].sort(),
    );
    const attributes = elements.flatMap((one) => Object.keys(one.attributes));
    expect(attributes.filter((name) => /^on|href|style/i.test(name))).to.deep.equal([]);
    for (const unseen of ['\u0000', '\u202e']) expect(svg).to.not.contain(unseen);
    expect(svg).to.contain('&lt;img src=x onerror=');
  });

  it('V5: counts and what leads wait for stand on the nodes', () => {
    const svg = drawn({ nodes: [node('a', 'Pause'), node('b', 'Done')], edges: [] }, [
      { nodeId: 'a', standing: 12, waiting: { duration: 2, business_hours: 9, budget: 0 } },
      { nodeId: 'b', standing: 0, waiting: {} },
    ]);
    expect(svg).to.contain('12 here · business hours 9 ·');
    expect(svg.match(/ here/g)).to.have.length(1);
  });

  it('edges that lead nowhere and nodes beyond what is drawn are left out', () => {
    const nodes = Array.from({ length: 300 }, (_, at) => node(`n${at}`, `N${at}`));
    const part = drawnPart({
      nodes,
      edges: [
        { sourceIndex: 0, targetIndex: 1, branch: null },
        { sourceIndex: 0, targetIndex: 299, branch: null },
        { sourceIndex: -1, targetIndex: 1, branch: null },
        { sourceIndex: 0.5, targetIndex: 1, branch: null },
      ],
    });
    expect(part.nodes).to.have.length(256);
    expect(part.edges).to.have.length(1);
  });

  it('a long label is cut between words, and whole in its title', () => {
    const label = 'Tell them what we learned from a hundred cold messages of last year';
    const svg = drawn({ nodes: [node('a', label)], edges: [] });
    expect(svg).to.contain(`<title>${label}</title>`);
    expect(svg).to.contain('>Tell them what we learned<');
    expect(svg).to.contain('>from a hundred cold mess…<');
  });
});
