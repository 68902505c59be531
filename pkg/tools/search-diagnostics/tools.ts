import { diagnose } from './diagnose.ts';
import { whoami } from './whoami.ts';

export const searchDiagnosticsTools = [whoami, diagnose];
