import { expect } from 'chai';
import { RpcError } from '../../../pkg/mcp/errors.ts';
import { parseBody } from '../../../pkg/mcp/request-checks.ts';

function refusal(body: string): [number, string] {
  try {
    parseBody(body);
  } catch (error) {
    if (error instanceof RpcError) return [error.code, error.message];
  }
  return [0, ''];
}

describe('messages of JSON-RPC', () => {
  it('an id above 2^53 is refused: it would be answered under another', () => {
    for (const id of ['9007199254740993', '-9007199254740993', '9007199254740992', '1e300']) {
      const [code, text] = refusal(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect([id, code]).to.deep.equal([id, -32_600]);
      expect(text).to.contain('Send it as text');
    }
    for (const id of ['9007199254740991', '-9007199254740991', '"9007199254740993"', '0'])
      expect(refusal(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`), id).to.deep.equal([0, '']);
  });

  it('a progress token above 2^53 is refused: progress would be told under another', () => {
    const call = (token: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":${token}}}}`;
    for (const token of ['9007199254740993', '-9007199254740992', '1e300']) {
      const [code, text] = refusal(call(token));
      expect([token, code]).to.deep.equal([token, -32_600]);
      expect(text).to.contain('progressToken').and.to.contain('Send it as text');
    }
    for (const token of ['9007199254740991', '"9007199254740993"', '0.5'])
      expect(refusal(call(token)), token).to.deep.equal([0, '']);
  });

  it('a message without a method is -32600, unless it answers a request of ours', () => {
    for (const message of ['{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","result":{}}'])
      expect(refusal(message), message).to.deep.equal([-32_600, 'Invalid request: method is missing.']);
    for (const rest of ['"result":{}', '"error":{"code":1,"message":"x"}'])
      expect(refusal(`{"jsonrpc":"2.0","id":1,${rest}}`), rest).to.deep.equal([0, '']);
  });
});
