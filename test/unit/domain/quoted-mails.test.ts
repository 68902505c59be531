import { expect } from 'chai';
import fc from 'fast-check';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';
import { quotedBare, STYLES, wrapAt } from '../../fixtures/quote-styles.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const OURS = [
  'Hi Ada,',
  '',
  'I saw that Acme is hiring. Would a short call help?',
  'Just say stop and I will stop contacting you.',
  '',
  'Best',
  'Sally',
].join('\n');

/** What people answer, by its class. */
const ANSWERS: readonly (readonly [text: string, replyClass: string])[] = [
  ['Sounds good.', 'positive'],
  ['Yes please, call me on Tuesday.', 'positive'],
  ['Not interested, thanks', 'negative'],
  ['Stop', 'unsubscribe'],
  ['Please remove me from your list', 'unsubscribe'],
  ['Bitte kontaktieren Sie mich nicht mehr.', 'unsubscribe'],
  ['Ich bin im Urlaub', 'out_of_office'],
  ['Not now, perhaps next year', 'neutral'],
  ['You should talk to my colleague Ann', 'referral'],
  ['Qwrt zxcv', 'unclassified'],
];

/** Sentences as senders write them, with every word that a classifier listens for. */
const SENTENCES = [
  'Just say stop and I will stop contacting you for good.',
  'If you are not interested, tell me and you will hear nothing more from me.',
  'You can unsubscribe at any time by a short answer to this mail.',
  'Sounds good to you, or would you rather talk to my colleague in Berlin?',
  'Are you interested in a short call next week, or is it not a priority right now?',
  'Falls Sie kein Interesse haben, kontaktieren wir Sie nicht mehr, versprochen.',
  'Si cela ne vous intéresse pas, je ne vous écris plus et je supprime vos données.',
  'Si no le interesa, dígamelo y le doy de baja de mi lista sin más preguntas.',
  'We were out of the office until 7 December and are back now with good news.',
  'Perhaps you are the wrong person, and somebody else at your company decides this.',
  'Если вам неинтересно, просто напишите стоп, и я больше не буду вам писать.',
  '如果您不感兴趣，请直接回复停止，我们不会再联系您，谢谢您的时间和理解。',
  '配信停止をご希望の場合は、このメールにその旨をご返信ください。よろしくお願いいたします。',
];
const sentText = fc
  .array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 5 })
  .chain((lines) =>
    fc.constantFrom(`Hi Ada,\n\n${lines.join('\n')}\n\nBest\nSally`, `Hello Ada,\n\n${lines.join(' ')}`),
  );

describe('a quote of what we sent', () => {
  it('changes no class, whatever program quotes it in whatever style and width', () => {
    const runs = Number(process.env['RUNS'] ?? 1500);
    fc.assert(
      fc.property(
        fc.constantFrom(...ANSWERS),
        sentText,
        fc.constantFrom(...Object.keys(STYLES)),
        fc.constantFrom(0, 40, 60, 72),
        ([answer, expected], sent, style, width) => {
          const quoted = STYLES[style]?.(answer, width === 0 ? sent : wrapAt(sent, width)) ?? '';
          expect(classifyReply(quoted, NOW, [sent]).replyClass, `${style}\n${quoted}`).to.equal(expected);
        },
      ),
      { numRuns: runs, seed: 7 },
    );
  });

  it('is known by its form where the text is not known: marks, headers and introductions of any language', () => {
    for (const [style, write] of Object.entries(STYLES)) {
      if (quotedBare.has(style)) continue;
      expect(classifyReply(write('Sounds good.', OURS), NOW).replyClass, style).to.equal('positive');
    }
  });

  it('takes nothing from those who use words of ours in sentences of their own', () => {
    for (const text of ['Stop contacting me', 'No. Just stop it, and stop contacting us'])
      expect(classifyReply(`${text}\n\n> ${OURS.replaceAll('\n', '\n> ')}`, NOW, [OURS]).replyClass, text).to.equal(
        'unsubscribe',
      );
  });

  it('leaves what people answer between its lines', () => {
    const lines = OURS.split('\n');
    const within = [...lines.slice(0, 3), 'Yes, call me.', ...lines.slice(3)].join('\n');
    expect(classifyReply(`Hello Sally,\n\n${within}`, NOW, [OURS]).replyClass).to.equal('positive');
    const no = [...lines.slice(0, 3), 'Please remove me from your list.', ...lines.slice(3)].join('\n');
    expect(
      classifyReply(`On Mon, 30 Nov 2026 at 13:54, Sally <s@a.example> wrote:\n${no}`, NOW, [OURS]).replyClass,
    ).to.equal('unsubscribe');
  });

  it('alone says nothing', () => {
    for (const write of Object.values(STYLES))
      expect(classifyReply(write('', OURS), NOW, [OURS]).replyClass).to.equal('unclassified');
  });

  it('of any length and any repetition is compared in no time', () => {
    const same = 'stop '.repeat(4_000);
    for (const text of [
      same,
      `${'a b '.repeat(5_000)}`,
      `${':1 @ '.repeat(4_000)}`,
      `${'20 2026 <a@b '.repeat(1_500)}`,
      '>'.repeat(20_000),
      '-'.repeat(20_000),
      `${'a: b@c 2026 1\n'.repeat(1_400)}`,
    ])
      classifyReply(text, NOW, [text, same]);
  });
});
