import type { LanguageWords } from './language-words.ts';

/** English words that claim nothing: of asking, greeting, offering a no. Whatever is missing here needs a fact. */
export const ENGLISH: LanguageWords = {
  plain: `news headline tagline motto a an the this that these those it its there here and or but so as than if whether because while though although
 i me my mine myself you your yours yourself we us our ours they them their he she his her who which what when where why how
 am is are was be been being do does did don doesn didn isn aren wasn wouldn couldn shouldn hasn haven t s re ve ll d m
 have has had having can could may might must shall should will would let lets
 to of in on at by for from with without within into onto about over under across through between around near behind besides beyond
 per via out up down off not no nor yes ok okay too very really quite rather just only even also still perhaps maybe simply
 please thank thanks hi hello hey dear regards best cheers sincerely warmly welcome
 one some any all each every both either neither other others another many much more most few less lot lots bit little own same such
 thing things something anything nothing anybody nobody somebody anyone someone everyone people person persons folks
 work works working role roles job name names word words question questions answer answers message messages note pitch pitches
 idea ideas thought thoughts topic topics subject matter way ways point reason reasons case side kind sort part place time times
 eye attention interest sense look looks looking see sees saw seen read reads reading notice noticed hear hears follow follows followed
 following come comes came coming catch caught stand stands stood stumble stumbled find finds found like likes liked enjoy enjoyed
 want wants wanted wish wishes hope hopes hoping know knows knowing think thinks thinking wonder wondered wondering believe guess
 understand mean means say says tell tells talk talking speak chat call calls exchange conversation compare comparing connect
 connecting connection share sharing learn learning ask asking reach reaching write writing wrote drop line send keep keeping
 stay touch get gets getting make makes making made go going take takes taking give gives try trying use useful help helpful
 happy glad curious keen interested interesting impressive great nice good well fine easy hard short brief briefly quick quickly
 small big open worth relevant possible able ready sure right wrong clear simple honest plain plainly fair
 pressure rush hurry need needs needed care cares mind minds chance moment moments world day-to-day space field area areas
 then now after since during once here there both together apart directly personally currently
 first-hand fellow similar different like-minded similarly especially particularly sounds sound seem seems feel feels felt
 approach approaches 
 look after looking forward view views perspective experience experiences challenge challenges
 priority priorities goal goals focus focusing end hope wonderful lovely kindly cheer else ever
 changes before often probably exactly whom remember hoped luck prefer enough matters goes explain explains explaining telling show close
 pleasure inbox profile page network contact contacts suit suits convenient works search searches introduce introduction`,
  nouns: '',
  time: 'company companies first change changes today run runs lead leads leading responsible deal deals dealing handle handles handling manage manages based involved busy happen happens next week weeks month months year years day days tomorrow today tonight morning afternoon evening soon later minute minutes hour hours quarter weekend',
  numbers:
    'two three four five six seven eight nine ten eleven twelve dozen dozens hundred hundreds thousand thousands million millions billion billions twice double doubled triple tripled half quadruple percent',
  months: 'january february march april may june july august september october november december',
  recent: [
    ['yesterday', 'yesterday'],
    ['last week', 'last week'],
    ['this week', 'this week'],
    ['last month', 'last month'],
    ['this month', 'this month'],
    ['last year', 'last year'],
    ['this year', 'this year'],
    ['recent', 'lately'],
    ['recently', 'lately'],
    ['lately', 'lately'],
  ],
  congratulates: 'congratulations congrats congratulate kudos celebrate celebrating done',
  newRole: 'new role position job step start starting started joining',
  posted: 'post posts posted posting shared wrote article update',
  conversed: 'reply replied answer answered asked ask mentioned mention said told message question wrote',
  earlierContact:
    /\b(?:(?:great|nice|good|lovely|pleasure|enjoyed|glad) (?:meeting|to meet|to have met|talking|speaking|seeing|our|catching up)|thank(?:s| you) (?:\w+ )?for (?:the|your|our|taking|connecting|accepting|getting|coming)(?: (?:\w+))?|(?:our|the) (?:last|previous|earlier|recent|latest) (?:\w+)|following up|as (?:we|you|i)? ?(?:discussed|agreed|said|mentioned|promised|requested|wanted)|like (?:we|you|i) said|we (?:met|spoke|talked|agreed|discussed|chatted)|you (?:agreed|promised|wanted|asked|mentioned|told|said)|told me|i (?:wrote|told|called|sent) (?:to )?you|get(?:ting)? back to you)\b/g,
  hearsay:
    /\b(?:somebody|someone|people|persons?|folks|others|everyone|everybody|names?|(?:your|our) (?:network|contacts?)) (?:\w+ ){0,4}(?:says?|said|tells?|told|wrote|mentions?|mentioned|recommends?|introduced|works? with (?:us|me)|knows? (?:us|me)|(?:uses?|likes?|wants?|asks?|follows?) (?:us|me))\b/g,
  ourselves: 'we us our ours i my mine',
  perceives:
    'saw see seen read noticed came across caught heard follow know understand mentioned asked wrote said use uses',
  greetings: 'hi hello hey dear',
  by: 'by',
  prepositions: 'in at from to near for with of on',
  qualifiers: 'vice assistant deputy former ex interim acting junior associate trainee intern regional co',
};
