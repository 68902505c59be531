import { expect } from 'chai';
import fc from 'fast-check';
import { factsAbout } from '../../../pkg/domain/craft/offer-facts.ts';
import { parseTemplate, renderTemplate, senderOf, type TemplateFacts } from '../../../pkg/domain/template.ts';

const facts: TemplateFacts = {
  lead: {
    firstName: 'Ada',
    lastName: '',
    fullName: 'Ada L',
    title: '',
    headline: '',
    company: '',
    industry: '',
    seniority: '',
    location: '',
    country: '',
    email: null,
    customFields: { size: '12' },
  },
  sender: senderOf('Grace Hopper'),
  signal: { title: '' },
};
const render = (text: string) => renderTemplate(parseTemplate(text).parts, facts);

describe('template', () => {
  it('nobody signs as "Dr.": the sender is called as they are addressed', () => {
    const called = [
      'Dr. Max Muster',
      'Muster, Max',
      'Mme Marie Dupont',
      'Grace Hopper (she/her)',
      ' Cher ',
      'Frau Müller',
      '',
    ];
    expect(called.map((name) => senderOf(name).firstName)).to.deep.equal([
      'Max',
      'Max',
      'Marie',
      'Grace',
      'Cher',
      'Frau Müller',
      '',
    ]);
    expect(senderOf(' Dr. Max Muster ').fullName).to.equal('Dr. Max Muster');
  });

  it('fills fields, fallbacks, custom fields and the sender', () => {
    const text =
      'Hi {{lead:firstName}} of {{lead:company|your team}}, {{lead:customFields.size}} — {{sender:firstName}} ({{sender:fullName}})';
    expect(render(text)).to.deep.equal({ text: 'Hi Ada of your team, 12 — Grace (Grace Hopper)' });
  });

  it('a missing field without fallback is missing, never a gap', () => {
    expect(render('Hi {{lead:company}} {{lead:email}} {{signal:title}} {{lead:company}}')).to.deep.equal({
      missing: ['lead:company', 'lead:email', 'signal:title'],
    });
    expect(render('{{lead:customFields.toString}}')).to.deep.equal({ missing: ['lead:customFields.toString'] });
  });

  for (const nothing of ['  ', '-', '—', ' . ', '?', '(*)', '\u200b', '\u00ad \u2060', '\ufeff']) {
    it(`a value that says nothing (${JSON.stringify(nothing)}) is missing, as an empty one: nobody reads "Hi -,"`, () => {
      const lead = {
        ...facts.lead,
        firstName: nothing,
        company: nothing,
        title: nothing,
        customFields: { size: nothing },
      };
      const { parts } = parseTemplate('Hi {{lead:firstName}} of {{lead:company|your team}} {{lead:customFields.size}}');
      expect(renderTemplate(parts, { ...facts, lead })).to.deep.equal({
        missing: ['lead:firstName', 'lead:customFields.size'],
      });
      expect(factsAbout(lead, [{ type: 'new_post', title: nothing, occurredAt: 0 }])).to.deep.equal([]);
    });
  }

  it('a value in any script, of digits or of an emoji says something', () => {
    for (const firstName of ['李', 'Ада', '7', '\u{1f525}', "O'Neil", 'Ann-Marie']) {
      const lead = { ...facts.lead, firstName };
      expect(renderTemplate(parseTemplate('{{lead:firstName}}').parts, { ...facts, lead })).to.deep.equal({
        text: firstName,
      });
    }
  });

  it('names unknown placeholders, unbuilt ones, empty fallbacks and open braces', () => {
    for (const bad of [
      '{{lead:shoe}}',
      '{{foo:bar}}',
      '{{craft:}}',
      '{{slots:x}}',
      '{{unsubscribe_url}}',
      '{{lead:company|}}',
      'a {{lead:x',
      '{{constructor:x}}',
      '}}',
    ]) {
      expect(parseTemplate(bad).problems, bad).to.have.length.greaterThan(0);
    }
    expect(parseTemplate('plain { text } with }braces{').problems).to.deep.equal([]);
  });

  it('takes crafted texts by the label of their node, and proposed times; without them they are missing', () => {
    const { parts } = parseTemplate('{{craft:First opener}} {{slots|next week}}');
    const crafted = { 'First opener': 'Hi there.' };
    expect(renderTemplate(parts, { ...facts, crafted })).to.deep.equal({ text: 'Hi there. next week' });
    expect(renderTemplate(parts, { ...facts, crafted: {} })).to.deep.equal({ missing: ['craft:First opener'] });
  });

  it('a value that looks like a template is text', () => {
    const parts = parseTemplate('{{lead:headline}}').parts;
    const lead = { ...facts.lead, headline: '{{lead:email}} $& $1', firstName: '{{lead:email}}' };
    expect(renderTemplate(parts, { ...facts, lead })).to.deep.equal({ text: '{{lead:email}} $& $1' });
    // Nobody is called so.
    const { parts: greeting } = parseTemplate('{{lead:firstName}}');
    expect(renderTemplate(greeting, { ...facts, lead })).to.deep.equal({ missing: ['lead:firstName'] });
  });

  it('property: text without braces renders as itself, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{') && !text.includes('}}'));
        expect(parseTemplate(text).problems).to.deep.equal([]);
        expect(render(text)).to.deep.equal({ text });
      }),
    );
  });
});
