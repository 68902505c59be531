import { expect } from 'chai';
import { promptsIn } from '../../verify/one-prompt.ts';

describe('the lint of prompts', () => {
  it('refuses a question that is put together, and a model that is asked elsewhere', () => {
    const wrong: readonly (readonly [file: string, text: string])[] = [
      ['pkg/providers/ai/x.ts', "model.answer({ system: 'Be ' + mood, user }, signal);"],
      ['pkg/providers/ai/x.ts', 'generateText({ prompt: `About ${lead}` });'],
      ['pkg/tools/x.ts', "import { generateText } from 'ai';"],
      ['pkg/engine/x.ts', "import { createMistral } from '@ai-sdk/mistral';"],
      ['pkg/tools/x.ts', "import { buildPrompt } from '../domain/craft/build-prompt.ts';"],
      ['pkg/tools/x.ts', "import { sdkChat } from '../providers/ai/sdk-chat.ts';"],
    ];
    for (const [file, text] of wrong) expect(promptsIn(file, text), text).to.have.length(1);
    expect(
      promptsIn('pkg/providers/ai/x.ts', 'ask({ system, user: asked.user, instructions: system });'),
    ).to.deep.equal([]);
  });
});
