import { writePlaybook } from '../../domain/playbook-writer.ts';
import type { AiWriter } from './ai-writer.ts';

/** The writer that needs no model and no network: rules over facts; its texts say so. */
export const templateWriter: AiWriter = {
  name: 'template',
  writePlaybook: (facts) => Promise.resolve(writePlaybook(facts)),
};
