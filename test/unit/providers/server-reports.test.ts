import { expect } from 'chai';
import { parseIncoming } from '../../../pkg/providers/mail/parse-incoming.ts';
import { OURS, SERVER_REPORTS, type ServerReport } from '../../fixtures/mail/server-reports.ts';

/** What is wrong with how a report is read; null: nothing. */
async function faultOf({ says, lines, taken }: ServerReport): Promise<string | null> {
  const { report, mentions, author } = await parseIncoming(1, Buffer.from(lines.join('\r\n')), 1_000);
  const kind = report?.kind ?? null;
  if (kind !== taken) return `${says}: ${kind}, not ${taken}`;
  if (author === 'person') return `${says}: a person's`;
  if (!report) return null;
  if (report.recipient !== 'ada@acme.example') return `${says}: for ${report.recipient}`;
  return mentions.includes(OURS) ? null : `${says}: it does not name our mail`;
}

describe('reports of servers, in the formats in which they write them', () => {
  const servers = [...new Set(SERVER_REPORTS.map((one) => one.server))];

  for (const server of servers)
    it(`M4, M5: ${server}`, async () => {
      const found = await Promise.all(SERVER_REPORTS.filter((one) => one.server === server).map(faultOf));
      expect(found.filter((one) => one !== null)).to.deep.equal([]);
    });

  it('are a hundred and more, of seven servers', () => {
    expect(SERVER_REPORTS.length).to.be.at.least(100);
    expect(servers.length).to.be.at.least(7);
  });
});
