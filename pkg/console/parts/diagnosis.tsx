import type { Input, Output } from '../api/call.ts';
import { useTool } from '../api/resource.ts';
import { may, workspace } from '../app/session.ts';
import { Icon } from './icon.tsx';
import { Loaded } from './loaded.tsx';
import { ToldText } from './told-text.tsx';
import { titleWords } from './words.ts';

type Check = Output<'svc_diagnose'>['checks'][number];

/**
 * Why something does nothing: the first that holds it up, what would end that, and all that was looked at.
 * @param again what it depends on besides; it is looked at again when that changes
 */
export function Diagnosis({
  target,
  targetId,
  again = '',
}: {
  target: Input<'svc_diagnose'>['target'];
  targetId: string;
  again?: string;
}) {
  // The scope of the tool is another than that of most screens.
  return may('workspace:read') ? <Looked key={again} target={target} targetId={targetId} /> : null;
}

function Looked({ target, targetId }: { target: Input<'svc_diagnose'>['target']; targetId: string }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const found = useTool('svc_diagnose', { workspaceId, target, targetId });
  return (
    <Loaded of={found} lines={2}>
      {({ healthy, firstBlocker, checks, reason }) => (
        <div class="diagnosis">
          {firstBlocker === null ? (
            <p class="diagnosis-word diagnosis-good">
              <Icon name="check" /> <span>{reason === null ? 'Nothing holds it up.' : <ToldText text={reason} />}</span>
            </p>
          ) : (
            <div class="diagnosis-word diagnosis-bad">
              <Icon name="warning" />
              <p>
                <strong>{titleWords(firstBlocker.check)}.</strong> <ToldText text={firstBlocker.detail} />
                {firstBlocker.nextTool === null ? null : (
                  <>
                    {' '}
                    <span class="diagnosis-next">
                      To mend it: <code>{firstBlocker.nextTool}</code>
                    </span>
                  </>
                )}
              </p>
            </div>
          )}
          <details class="more-about">
            <summary>
              {healthy ? 'All checks' : 'All checks in order'} ({checks.length})
            </summary>
            <ol class="checks">
              {checks.map((check) => (
                <CheckLine key={`${check.check} ${check.detail}`} check={check} />
              ))}
            </ol>
            <button type="button" class="button button-small" onClick={() => found.reload()}>
              <Icon name="refresh" size={16} /> Look again
            </button>
          </details>
        </div>
      )}
    </Loaded>
  );
}

function CheckLine({ check: { ok, check, detail } }: { check: Check }) {
  return (
    <li class={ok ? 'check-line' : 'check-line check-bad'}>
      <Icon name={ok ? 'check' : 'close'} size={16} />
      <span>
        <span class="unseen">{ok ? 'passed: ' : 'holds it up: '}</span>
        <strong>{titleWords(check)}</strong> <ToldText text={detail} />
      </span>
    </li>
  );
}
