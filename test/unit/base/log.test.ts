import { expect } from 'chai';
import { mask } from '../../../pkg/base/log.ts';

describe('secrets in texts of the log', () => {
  it('a password in an address is masked, with a user or without, and whatever signs it has', () => {
    for (const [text, shown] of [
      [
        'postgres://outrider_app:hunter2@db:5432/outrider is away',
        'postgres://outrider_app:[redacted]@db:5432/outrider is away',
      ],
      ['redis://:hunter2@cache:6379', 'redis://:[redacted]@cache:6379'],
      [
        'at postgres://app:hun@ter2@db/outrider and redis://u:hunter2@cache',
        'at postgres://app:[redacted]@db/outrider and redis://u:[redacted]@cache',
      ],
      ['http://127.0.0.1:7420/mcp', 'http://127.0.0.1:7420/mcp'],
      ['the key csu_0123456789abcdef', 'the key csu_[redacted]'],
    ] as const)
      expect(mask(text)).to.equal(shown);
  });

  it('are looked for in no time, however long a word is that a server said', () => {
    const said = (text: string): string => text.repeat(Math.floor(500_000 / text.length));
    for (const text of [said('a'), said('a://b:'), said('Bearer'), said('cs_')]) {
      expect(mask(`${text}, postgres://app:hunter2@db`)).to.include('postgres://app:[redacted]@db');
    }
  });
});
