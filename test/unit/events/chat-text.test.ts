import { expect } from 'chai';
import { EVENT_KINDS } from '../../../pkg/domain/event-kinds.ts';
import { chatText } from '../../../pkg/events/chat-text.ts';
import { sampleEnvelope } from '../../../pkg/events/event-envelope.ts';

describe('what a chat is told', () => {
  for (const kind of EVENT_KINDS) {
    it(`${kind} in words: a sentence and its records, nothing that only a program reads`, () => {
      const text = chatText(sampleEnvelope(kind));
      expect(text).to.match(/^\*[A-Z][^*]+\*(: [^\n]+)?\nworkspace acme[^\n]*$/);
      expect(text).not.to.match(/undefined|null|\[object|not known|[{}"]/);
    });
  }

  it('what came from outside is text: no mention, no link, no second line, and no more than fits', () => {
    const data = {
      ...sampleEnvelope('run.failed').data,
      reason: `<!channel> <https://x.example|click>\n& ${'x'.repeat(999)}`,
    };
    const [sentence = ''] = chatText({ ...sampleEnvelope('run.failed'), data }).split('\n');
    expect(sentence).to.contain('&lt;!channel&gt; &lt;https://x.example|click&gt; &amp; xxx').and.not.match(/[<>]/);
    expect(sentence.length).to.be.below(300);
  });

  it('ids stay as they are', () => {
    const data = { ...sampleEnvelope('run.started').data, workflowId: 'intro_sequence' };
    expect(chatText({ ...sampleEnvelope('run.started'), data })).to.contain('workflow intro_sequence');
  });
});
