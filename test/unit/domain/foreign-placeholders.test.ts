import { expect } from 'chai';
import { foreignPlaceholders } from '../../../pkg/domain/foreign-placeholders.ts';
import { parseTemplate } from '../../../pkg/domain/template.ts';
import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';

const findings = (text: string): string[] => {
  const { parts, problems } = parseTemplate(text);
  return [...problems, ...foreignPlaceholders(parts).map(({ advice }) => advice)];
};

/** How other tools write the first name of a lead. */
const FIRST_NAMES = [
  '{first_name}',
  '{ first name }',
  '{FIRST_NAME}',
  '[First Name]',
  '[[first_name]]',
  '%FIRSTNAME%',
  '%%FirstName%%',
  '%recipient.first_name%',
  '<<First Name>>',
  '<First Name>',
  '«Vorname»',
  '*|FNAME|*',
  '|FNAME|',
  $('{firstName}'),
  '#{first_name}',
  '@{firstName}',
  '{$firstName}',
  '{!Contact.FirstName}',
  '<%= first_name %>',
  '((first name))',
  '__FIRSTNAME__',
  '##FIRSTNAME##',
  '#FIRSTNAME#',
  '-FNAME-',
  '~firstname~',
  '$first_name',
  ':first_name',
  '{{first_name}}',
  '{{ contact.firstname }}',
  '{{FirstName}}',
  '{{lead.firstName}}',
  '{{firstName | fallback: "there"}}',
  '{{{lead:firstName}}}',
  '{{lead:firstName ?? "there"}}',
];

/** A placeholder of shells, which the linter takes for one of this language. */
function $(rest: string): string {
  return `$${rest}`;
}

/** Defaults as Liquid, Handlebars and others write them. */
const DEFAULTS = [
  "{{lead:firstName || 'there'}}",
  '{{lead:firstName | default: "there"}}',
  '{{lead:firstName|default("there")}}',
  '{{lead:firstName|"there"}}',
  '{{lead:firstName|fallback: "there"}}',
];

const TEXTS = [
  'Hi {{lead:firstName|there}}, see [1] and [PDF] (c) 50% of 20% off',
  'Save 20% now, 30% later; it costs $5 - $10',
  'I <3 this, and 5 > 3 and 2 < 4',
  'Write to a@b.example or see https://x.example/a_b_c?d=%20e%20f',
  '[our page](https://x.example) and C# and #hashtag and @ada_lovelace',
  'Notes [see the report below] -- *bold* ~ 5 minutes ~',
  '{{lead:firstName|first of all}} {{lead:title|or what you do}} {{lead:company|your "great" team}}',
];

describe('placeholders of other tools', () => {
  it('are found in whatever form, with the product’s own beside them', () => {
    for (const text of FIRST_NAMES) expect(findings(`Hi ${text},`).join('\n'), text).to.contain('{{lead:firstName}}');
  });

  it('with a default are found with the product’s own', () => {
    for (const text of DEFAULTS)
      expect(findings(`Hi ${text},`).join('\n'), text).to.contain('write {{lead:firstName|there}}');
  });

  it('for other fields and for the one who writes have their own too', () => {
    for (const [text, own] of [
      ['{Company Name}', '{{lead:company}}'],
      ['[Your Name]', '{{sender:firstName}}'],
      ['{sender_name}', '{{sender:firstName}}'],
      ['%UNSUBSCRIBE%', '{{unsubscribe_url}}'],
      ['{{job_title}}', '{{lead:title}}'],
    ] as const)
      expect(findings(text).join('\n'), text).to.contain(own);
  });

  it('that spin or decide are told what does so here', () => {
    expect(findings('{Hi|Hello|Hey} Ada').join()).to.contain('flow:split');
    expect(findings('{% if x %}Hi{% endif %}').join()).to.contain('flow:condition');
  });

  it('are no texts of people: brackets, percents, addresses', () => {
    for (const text of TEXTS) expect(findings(text), text).to.deep.equal([]);
  });

  it('are looked for at a linear cost', () => {
    for (const part of ['{', '[a', '%a', '<', '*|', '{a|', '__a', '$a_', '{{lead:firstName|', 'a '])
      findings(part.repeat(8_000 / part.length));
  });
});

describe('a graph whose texts', () => {
  const problems = (config: object, inForce = false, nodeType = 'mail:send') => {
    const { errors, warnings } = compileGraph(
      { nodes: [{ nodeType, config: config as never }], edges: [] },
      { inForce },
    );
    return { errors: errors.map(({ code }) => code), warnings: warnings.map(({ code }) => code) };
  };
  const mail = (text: string) => ({ subject: 'About you', text });

  it('hold a sure placeholder of another tool is refused, and warned of where it is in force already', () => {
    expect(problems(mail('Hi {first_name}'))).to.deep.equal({ errors: ['foreign_placeholder'], warnings: [] });
    expect(problems(mail('Hi {first_name}'), true)).to.deep.equal({ errors: [], warnings: ['foreign_placeholder'] });
    expect(
      problems({ noteMode: 'static', noteTemplate: 'Hi %FIRSTNAME%' }, false, 'network:connection_request').errors,
    ).to.deep.equal(['foreign_placeholder']);
  });

  it('hold what may be one are warned of', () => {
    expect(problems(mail('See [Our Offer] for more'))).to.deep.equal({ errors: [], warnings: ['foreign_placeholder'] });
  });

  it('say nothing is refused: blanks, signs that nobody sees, the address to unsubscribe alone', () => {
    for (const blank of [' ', '\n \t', '\u200b', '{{unsubscribe_url}} ', '...'])
      expect(problems(mail(blank)).errors, JSON.stringify(blank)).to.deep.equal(['blank_text']);
    expect(problems({ subject: ' ', text: 'Hello' }).errors).to.deep.equal(['blank_text']);
    expect(problems({ text: '  ' }, false, 'network:message').errors).to.deep.equal(['blank_text']);
  });

  it('are our own is taken', () => {
    expect(problems(mail('Hi {{lead:firstName|there}}, {{sender:firstName}} {{unsubscribe_url}}'))).to.deep.equal({
      errors: [],
      warnings: [],
    });
  });
});
