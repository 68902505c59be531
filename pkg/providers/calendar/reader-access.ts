import type { WriterAccess } from './calendar-writer.ts';

/** What opens a calendar of any provider, for the workspace whose turn it takes. */
export interface ReaderAccess extends WriterAccess {
  workspaceId: string;
}
