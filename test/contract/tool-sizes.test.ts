import { expect } from 'chai';
import { leanSchema } from '../../pkg/mcp/lean-schema.ts';
import { ToolList } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

const ALL = { toolsets: null, tools: null, readOnly: false, scoped: false, outputs: false };
/** So that the 201 tools of the catalog fit into 171 kB. */
const MOST_BYTES = 850;

const bytes = (outputs: boolean): number =>
  Buffer.byteLength(new ToolList(ALL_TOOLS).result({ ...ALL, outputs }, new Set(), '2025-11-25').text);

describe('contract: the size of tools/list', () => {
  it(`a tool is listed in ${MOST_BYTES} bytes at most, on average`, () => {
    const [lean, whole] = [bytes(false), bytes(true)];
    const each = Math.round(lean / ALL_TOOLS.length);
    console.log(`      ${ALL_TOOLS.length} tools: ${lean} bytes, ${each} each; ${whole} with schemas of answers`);
    expect(each).to.be.at.most(MOST_BYTES);
  });

  it('each description is one line', () => {
    const longer = ALL_TOOLS.filter(({ description }) => description.includes('\n') || description.length > 260);
    expect(longer.map((entry) => entry.name)).to.deep.equal([]);
  });

  it('no schema says the same twice: a pattern beside its format, the bounds of every whole number', () => {
    for (const entry of ALL_TOOLS) {
      const text = JSON.stringify([leanSchema(entry.input), leanSchema(entry.output)]);
      expect(text, entry.name).to.not.contain(String(Number.MAX_SAFE_INTEGER));
      expect(text, entry.name).to.not.match(/"format":"[^"]+","pattern"/);
    }
  });
});
