import { writeFileSync } from 'node:fs';
import { startMcpTools } from '../tools/mcp-tools.ts';

/** The greatest file that the upload address takes: 50 MB and 100,000 rows. */
const ROWS = 100_000;
const BYTES = 52_428_800 - 1_000;

/**
 * `make bench-upload`: a file of the greatest size, from the upload address to leads, as a client sends it: seconds of the upload and of
 * the import, and by how much the process grew meanwhile (server and test in one). OUT=file writes the figures; fails where a row is lost.
 */
const tools = await startMcpTools();
try {
  const user = await tools.as({ memberOf: ['acme'] });
  const { uploadUrl } = await user.call<{ uploadUrl: string }>('svc_import_leads_csv', { workspaceId: 'acme' });
  let body: Buffer | undefined = Buffer.from(file());
  const bytes = body.length;
  const atRest = process.memoryUsage.rss();
  let peak = atRest;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const uploadSeconds = await seconds(async () => {
    const answer = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(body ?? []) });
    if (answer.status !== 201) throw new Error(await answer.text());
  });
  body = undefined;
  let told = { created: 0, updated: 0, skipped: 0 };
  const importSeconds = await seconds(async () => {
    const call = { name: 'svc_import_leads_csv', arguments: { workspaceId: 'acme', csvUrl: uploadUrl } };
    // Its notes of progress keep a client waiting.
    const options = { onprogress: () => undefined, resetTimeoutOnProgress: true, timeout: 60_000 };
    const answer = await user.client.callTool(call, undefined, options);
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
    told = answer.structuredContent as typeof told;
  });
  clearInterval(watch);
  const grewMb = (peak - atRest) / 1e6;
  console.log(
    `upload ${(bytes / 1e6).toFixed(1)} MB in ${uploadSeconds.toFixed(1)} s, import of ${ROWS} rows in ${importSeconds.toFixed(1)} s: ` +
      `${told.created} created, ${told.updated} updated, ${told.skipped} skipped; the process grew by ${grewMb.toFixed(0)} MB`,
  );
  const out = process.env['OUT'];
  const figures = { bytes, rows: ROWS, uploadSeconds, importSeconds, grewMb, ...told };
  if (out) writeFileSync(out, `${JSON.stringify(figures, null, 2)}\n`);
  if (told.created !== ROWS) process.exitCode = 1;
} finally {
  await tools.stop();
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const from = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - from) / 1e9;
}

/** People of 5,000 companies, each row padded by what a spreadsheet carries along. */
function file(): string {
  const header = 'First Name,Last Name,Email,Company,LinkedIn URL,Title,City,About\n';
  const about = 'x'.repeat(Math.floor((BYTES - header.length) / ROWS) - 140);
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const company = n % 5_000;
    return `Person${n},Last${n},p${n}@c${company}.example,Acme ${company} GmbH,https://www.linkedin.com/in/person-${n},Head of Sales,Berlin,${about}`;
  });
  return `${header}${rows.join('\n')}\n`;
}
