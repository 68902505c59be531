import { getImportProgress } from './get-import-progress.ts';

export const integrationTools = [getImportProgress];
