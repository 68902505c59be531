import { expect } from 'chai';
import { z } from 'zod';
import { validateInput } from '../../../pkg/mcp/validate-input.ts';

const schema = z.strictObject({
  title: z.string().min(1).max(5),
  limit: z.int().min(1).max(100).default(25),
  inner: z.strictObject({ day: z.int() }).optional(),
});

const ROWS: [why: string, input: unknown, text: RegExp][] = [
  ['a missing field', {}, /^Invalid input: title: is required$/],
  ['a number outside of its bounds', { title: 'a', limit: 101 }, /^Invalid input: limit: .*100/],
  ['an unknown field', { title: 'a', x: 1 }, /^Invalid input: x: unknown field$/],
  ['an unknown nested field', { title: 'a', inner: { day: 1, y: 1 } }, /^Invalid input: inner\.y: unknown field$/],
  ['two causes', { limit: 0 }, /^Invalid input: title: is required; limit: /],
  ['no object', [], /^Invalid input: input: /],
  ['a NUL byte', { title: 'a\u0000' }, /^Invalid input: title: contains a NUL byte$/],
  [
    'a lone surrogate deep inside',
    { title: 'a', inner: { day: ['\ud800'] } },
    /^Invalid input: inner\.day\.0: contains a lone/,
  ],
  ['a prototype key', JSON.parse('{"title":"a","__proto__":{"limit":1}}'), /^Invalid input: __proto__: unknown field$/],
];

describe('validation of input', () => {
  for (const [why, input, text] of ROWS) {
    it(`names path and cause of ${why}`, () => {
      expect(() => validateInput(schema, input)).to.throw(text);
    });
  }

  it('asks for an enum or a choice that is missing, and names the options of a wrong one', () => {
    const choices = z.strictObject({ kind: z.enum(['a', 'b']), either: z.union([z.int(), z.boolean()]) });
    expect(() => validateInput(choices, {})).to.throw(/^Invalid input: kind: is required; either: is required$/);
    expect(() => validateInput(choices, { kind: 'c', either: 1 })).to.throw(/^Invalid input: kind: .*"a"\|"b"$/);
  });

  it('fills defaults', () => {
    expect(validateInput(schema, { title: 'a' })).to.deep.equal({ title: 'a', limit: 25 });
  });

  it('stops at a nesting that no tool has, without growing the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(() => validateInput(schema, { title: 'a', inner: deep })).to.throw(/^Invalid input: /);
  });
});
