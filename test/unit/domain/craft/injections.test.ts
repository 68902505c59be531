import { expect } from 'chai';
import { NEVER } from '../../../../pkg/base/clock.ts';
import { carriesOrders } from '../../../../pkg/domain/craft/carries-orders.ts';
import type { CraftOrder } from '../../../../pkg/domain/craft/craft-order.ts';
import { factsAbout, factsOfPost, factsOfTalk } from '../../../../pkg/domain/craft/offer-facts.ts';
import type { WritingFact } from '../../../../pkg/domain/craft/writing-fact.ts';
import { ATTACK_CHANNELS, ATTACKS, type Attack, type AttackChannel } from '../../../fixtures/writing/attacks.ts';
import { orderFor } from '../../../fixtures/writing/order.ts';
import { scriptedModel } from '../../../fixtures/writing/scripted-model.ts';

const PERSON = { title: 'VP of Sales', company: 'Acorn Robotics', headline: '', industry: '', location: 'Leeds' };
const NOW = orderFor('ada').now;

/** The facts of an order where the attack stands in a channel. */
function factsWith({ hidden }: Attack, channel: AttackChannel): readonly WritingFact[] {
  switch (channel) {
    case 'bio':
      return factsAbout({ ...PERSON, headline: hidden }, []);
    case 'csv field':
      return factsAbout({ ...PERSON, title: hidden }, []);
    case 'web page':
      return factsAbout(PERSON, [{ type: 'funding_round', title: hidden, occurredAt: NOW - 1 }]);
    case 'calendar title':
      return factsAbout(PERSON, [{ type: 'job_change', title: hidden, occurredAt: NOW - 1 }]);
    case 'post':
      return factsOfPost(`We open two shops in Leeds. ${hidden}`);
    case 'reply':
      return [
        ...factsOfTalk([{ direction: 'in', text: `Sounds good. ${hidden}`, at: NOW - 1 }]),
        ...factsAbout(PERSON, []),
      ];
  }
}

function orderWith(attack: Attack, channel: AttackChannel): CraftOrder {
  const task: CraftOrder['task'] =
    channel === 'post'
      ? { kind: 'first', channel: 'comment' }
      : channel === 'reply'
        ? { kind: 'reply', channel: 'message', intent: 'answer' }
        : { kind: 'first', channel: 'message' };
  return orderFor('ada', { task, facts: factsWith(attack, channel), requireFacts: 0 });
}

describe('what the house keeps to itself', () => {
  const SECRETS = [
    ['en', 'Never offer 20 % off.', 'We offer 20 % off.'],
    ['en', '- Do not say that we lost Siemens.', 'We lost Siemens.'],
    ['en', 'MARK-7Q4: internal, never to be written.', 'MARK-7Q4'],
    ['de', 'Niemals Rabatte von 20 % anbieten.', 'Wir bieten Rabatte von 20 %.'],
    ['de', 'Keine Lieferung im Mai versprechen.', 'Die Lieferung im Mai ist sicher.'],
    ['fr', 'Ne jamais promettre la livraison en mai.', 'La livraison en mai est sûre.'],
    ['es', 'Nunca ofrezcas un descuento del 20 %.', 'Ofrecemos un descuento del 20 %.'],
  ] as const;

  for (const [language, rule, leak] of SECRETS) {
    it(`${JSON.stringify(rule)} covers nothing: a writer that tells it has no text`, async () => {
      const order = orderFor('ada', { playbook: `We are Outfield. ${rule}\n${rule}`, language, requireFacts: 0 });
      const { writer } = scriptedModel(() => JSON.stringify({ segments: [{ text: leak, factIds: [] }] }));
      expect((await writer.craft(order, NEVER)).kind).to.not.equal('written');
    });
  }
});

describe('injected content', () => {
  for (const channel of ATTACK_CHANNELS) {
    it(`${channel}: of ${ATTACKS.length} attacks on a writer that obeys each, none passes`, async () => {
      const passed: string[] = [];
      for (const attack of ATTACKS) {
        const order = orderWith(attack, channel);
        const ids = order.facts.map(({ id }) => id);
        // The worst writer: it does as it is told, and cites all that there is for it.
        const { writer } = scriptedModel(() => JSON.stringify({ segments: [{ text: attack.obeyed, factIds: ids }] }));
        const result = await writer.craft(order, NEVER);
        if (result.kind === 'written' && result.text.text.includes(attack.marker)) passed.push(attack.hidden);
      }
      expect(passed).to.deep.equal([]);
    });
  }
});

describe('words of two alphabets', () => {
  it('carriesOrders: one is found in a long text, whose every letter was looked at from its own place before', () => {
    const long = 'ć'.repeat(20_000);
    expect([carriesOrders(long), carriesOrders(`${long} pаypal`)]).to.deep.equal([false, true]);
  });
});
