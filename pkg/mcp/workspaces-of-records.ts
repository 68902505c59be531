import type { Database } from '../postgres/database.ts';

/** The workspaces of the first record, or list of records, that the input names; ids are looked up by the name of their field. */
export async function workspacesOfRecords(db: Database, input: Record<string, unknown>): Promise<string[]> {
  for (const [field, given] of Object.entries(input)) {
    const record = /^([a-z][A-Za-z]{1,40})Ids?$/.exec(field)?.[1];
    const ids = [given].flat().filter((id) => typeof id === 'string');
    if (record === undefined || ids.length === 0) continue;
    const table = record.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const found = await db.pool.query<{ workspaces: string[] }>({
      name: 'record_workspaces',
      text: 'select app.record_workspaces($1, $2) as workspaces',
      values: [table, ids],
    });
    const workspaces = found.rows[0]?.workspaces ?? [];
    if (workspaces.length > 0) return workspaces;
  }
  return [];
}
