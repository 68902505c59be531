import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

/** Words that say that something goes out, is let go, or is paid for. */
const SAYS_SO =
  /^svc_(admin_link|approve|bulk|connect|control|craft|create_api_key|create_invitation|enrich|follow|comment|like|publish|queue|resume|retry|run|schedule|send|toggle|trigger|regenerate|upsert_automation|update_workflow)/;
/** Writes to outside that reach nobody and cost nothing, each with its reason. */
const ASKS_ONLY: Readonly<Record<string, string>> = {
  svc_refresh_inbox: 'it fetches what is there',
};

/**
 * Every other tool that writes, with why nothing that it can lead to reaches people or spends. What is judged is what may follow, not the
 * name: text that a live step writes by, or a record that something enabled picks up, reaches people.
 */
const DOES_NOT: Readonly<Record<string, string>> = {
  svc_add_signal_exclusion: 'it leaves out; only taking one away lets somebody in',
  svc_admin_delete_workspace: 'it ends what runs',
  svc_admin_erase_subject: 'who is erased is never written to again',
  svc_create_campaign: 'a draft; nothing runs before svc_update_campaign and svc_update_workflow_status',
  svc_create_content_post:
    'a draft, which goes out by svc_approve_content_post, svc_schedule_content_post or svc_publish_content_post',
  svc_create_lead_list: 'an empty list that no workflow names yet',
  svc_create_persona: 'no live step names it before svc_update_workflow',
  svc_create_phase: 'a plan for people to read; nothing runs or writes by it',
  svc_create_signal_agent: 'it is paused until svc_resume_signal_agent or svc_run_signal_agent',
  svc_create_workflow: 'it is disabled until svc_update_workflow_status',
  svc_delete_campaign: 'it ends what waits, of one that is not active',
  svc_delete_competitor_watch: 'it ends what runs',
  svc_delete_content_post: 'what is not published is gone',
  svc_delete_icp: 'scores fall away, so that leads leave pools and none enter; what names it finds nobody',
  svc_delete_lead_list: 'none that an enabled workflow takes leads from; no list keeps people out',
  svc_delete_phase: 'a plan for people to read; nothing runs or writes by it',
  svc_delete_search_watch: 'it ends what runs',
  svc_delete_signal_agent: 'it ends what runs',
  svc_delete_workflow: 'it ends what waits, of one that is disabled; the ledger of what was sent stays',
  svc_disconnect_integration: 'it ends what runs',
  svc_duplicate_campaign: 'a draft whose workflows are disabled',
  svc_duplicate_content_post: 'a draft',
  svc_duplicate_workflow: 'it is disabled until svc_update_workflow_status',
  svc_erase_lead: 'who is erased is never written to again',
  svc_import_signal_exclusions: 'it leaves out; only taking one away lets somebody in',
  svc_mark_all_notifications_read: "of the caller's own notifications",
  svc_mark_notification_read: "of the caller's own notifications",
  svc_pause_competitor_watch: 'it stops',
  svc_pause_signal_agent: 'it stops',
  svc_refresh_inbox: 'it fetches a little earlier what is fetched anyway',
  svc_reject_content_post: 'it stops; the reason goes to members',
  svc_remove_leads_from_list: 'who leaves a list is enrolled by nothing; no list keeps people out',
  svc_remove_member: 'it takes rights away',
  svc_revoke_api_key: 'it takes rights away',
  svc_revoke_invitation: 'it takes rights away',
  svc_submit_content_for_approval: 'it asks members, and goes out by svc_approve_content_post',
  svc_submit_feedback: "a note to the platform's own team",
  svc_unschedule_content_post: 'it stops',
  svc_update_content_post: 'never what is scheduled, and other content withdraws an approval',
  svc_update_notification_preferences: "of the caller's own, by channels that svc_connect_integration connected",
  svc_update_phase: 'a plan for people to read; nothing runs or writes by it',
};

describe('what reaches people or spends', () => {
  it('each tool that writes says whether it does, and none that only reads', () => {
    for (const { name, hints, reaches } of ALL_TOOLS) {
      if (hints.readOnly) expect(reaches, `${name} only reads`).to.equal(undefined);
      else expect(reaches, `${name}: add reaches: true or false beside its hints`).to.be.a('boolean');
    }
  });

  it('each that does not was judged by what it can lead to', () => {
    const said = ALL_TOOLS.filter(({ reaches }) => reaches === false).map(({ name }) => name);
    expect(said.sort(), 'give each its reason here, or reaches: true').to.deep.equal(Object.keys(DOES_NOT).sort());
  });

  it('a tool whose name says it, that asks a language model, or that writes outside, does', () => {
    const quiet = ALL_TOOLS.filter(({ name, category, hints, reaches }) => {
      const outside = hints.openWorld && !hints.readOnly && !(name in ASKS_ONLY);
      return (SAYS_SO.test(name) || category === 'llm' || outside) && reaches !== true;
    });
    expect(quiet.map(({ name }) => name)).to.deep.equal([]);
  });

  it('what only prepares, stops or withdraws does not', () => {
    const loud = ALL_TOOLS.filter(
      ({ name, reaches }) =>
        /^svc_(pause|unschedule|revoke|disconnect|create_workflow$|create_campaign$)/.test(name) && reaches,
    );
    expect(loud.map(({ name }) => name)).to.deep.equal([]);
  });
});
