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
  ['an unknown field', { title: 'a', x: 1 }, /^Invalid input: x: unknown field \(known: title, limit, inner\)$/],
  [
    'an unknown nested field',
    { title: 'a', inner: { day: 1, y: 1 } },
    /^Invalid input: inner\.y: unknown field \(known: day\)$/,
  ],
  ['two causes', { limit: 0 }, /^Invalid input: title: is required; limit: /],
  ['no object', [], /^Invalid input: input: /],
  ['a NUL byte', { title: 'a\u0000' }, /^Invalid input: title: contains a NUL byte$/],
  [
    'a lone surrogate deep inside',
    { title: 'a', inner: { day: ['\ud800'] } },
    /^Invalid input: inner\.day\.0: contains a lone/,
  ],
  ['a value of another type', { title: 7 }, /^Invalid input: title: expected string, received number$/],
  [
    'a prototype key',
    JSON.parse('{"title":"a","__proto__":{"limit":1}}'),
    /^Invalid input: __proto__: unknown field \(known: /,
  ],
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

  it('names the fields that are known inside of lists and maps, and says a choice once', () => {
    const deep = z.strictObject({
      steps: z.array(z.strictObject({ type: z.string().optional() })).optional(),
      map: z.record(z.string(), z.strictObject({})).default({}),
      either: z.union([z.int(), z.boolean()]).optional(),
    });
    const text = (input: object): string => {
      try {
        validateInput(deep, input);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(text({ steps: [{}, { kind: 1 }] })).to.equal('Invalid input: steps.1.kind: unknown field (known: type)');
    expect(text({ map: { a: { b: 1, c: 2 } } })).to.equal(
      'Invalid input: map.a.b: unknown field; map.a.c: unknown field (known: none)',
    );
    expect(text({ either: 'x' })).to.equal('Invalid input: either: is none of the forms that it may have');
  });

  it('null for an optional field counts as not given', () => {
    expect(validateInput(schema, { title: 'a', limit: null, inner: null })).to.deep.equal({ title: 'a', limit: 25 });
    const nested = z.strictObject({ inner: z.strictObject({ day: z.int().optional() }) });
    expect(validateInput(nested, { inner: { day: null } })).to.deep.equal({ inner: {} });
  });

  it('null for a required field, in a list, or beside another mistake is refused', () => {
    expect(() => validateInput(schema, { title: null })).to.throw(/^Invalid input: title: .*null/);
    const lists = z.strictObject({ tags: z.array(z.string()).optional() });
    expect(() => validateInput(lists, { tags: ['a', null] })).to.throw(/^Invalid input: tags\.1: /);
    expect(() => validateInput(schema, { title: '', limit: null })).to.throw(/^Invalid input: title: [^;]*$/);
  });

  it('null is refused where the field says that it means nothing', () => {
    const error = ({ input }: { input?: unknown }): string | undefined =>
      input === null ? 'null is no file' : undefined;
    const file = z.strictObject({ csv: z.string({ error }).optional(), url: z.string().optional() });
    for (const more of [{}, { url: null }])
      expect(() => validateInput(file, { csv: null, ...more })).to.throw(/^Invalid input: csv: null is no file$/);
    expect(validateInput(file, { url: null })).to.deep.equal({});
  });

  it('null that a field takes stays null', () => {
    const nullable = z.strictObject({ until: z.string().nullable().optional(), limit: z.int().optional() });
    expect(validateInput(nullable, { until: null, limit: null })).to.deep.equal({ until: null });
  });

  it('where absent means unchanged, null is refused with what clears the field', () => {
    const patch = z.strictObject({
      id: z.string(),
      name: z.string().min(1).optional(),
      about: z.string().optional(),
      tags: z.array(z.string()).optional(),
    });
    const refused = (input: object): string => {
      try {
        validateInput(patch, { id: 'a', ...input }, true);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ about: null })).to.equal(
      'Invalid input: about: null is no value of it. Send "" to clear it, or leave it out to keep it',
    );
    expect(refused({ tags: null })).to.contain('Send [] to empty it');
    expect(refused({ name: null })).to.contain('It can not be cleared: leave it out to keep it');
    expect(refused({ id: null })).to.match(/^Invalid input: id: .*null/);
    expect(refused({})).to.equal('');
  });

  it('arguments that were not given are an empty object', () => {
    const empty = z.strictObject({ limit: z.int().default(25) });
    for (const given of [undefined, null, {}]) expect(validateInput(empty, given)).to.deep.equal({ limit: 25 });
  });

  it('fills defaults', () => {
    expect(validateInput(schema, { title: 'a' })).to.deep.equal({ title: 'a', limit: 25 });
  });

  it('stops at a nesting that no tool has, without growing the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(() => validateInput(schema, { title: 'a', inner: deep })).to.throw(/^Invalid input: /);
  });
});
