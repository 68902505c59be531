import { expect } from 'chai';
import { withNext } from '../../../pkg/mcp/next-tools.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';

describe('the tools that come next', () => {
  it('tell why in whole words', () => {
    const tools = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]));
    const scopes = new Set(ALL_TOOLS.map((tool) => tool.scope));
    let long = 0;
    for (const { name, description } of ALL_TOOLS) {
      const from = { description: `Next: ${name}` } as AnyTool;
      const { next: [first] = [] } = withNext({}, { tool: from, tools, scopes }) as { next?: { why: string }[] };
      const why = first?.why ?? '';
      expect(why.length, name).to.be.within(3, 103);
      const whole = why.replace(/ …$/, '');
      if (whole !== why) long++;
      expect(description.startsWith(whole), name).to.equal(true);
      expect(description.charAt(whole.length), `${name}: ${why}`).to.match(/^[\s.:;(,–]?$/);
    }
    expect(long).to.be.greaterThan(0);
  });
});
