import { diagnose } from './diagnose.ts';
import { search } from './search.ts';
import { submitFeedback } from './submit-feedback.ts';
import { whoami } from './whoami.ts';

export const searchDiagnosticsTools = [whoami, search, diagnose, submitFeedback];
