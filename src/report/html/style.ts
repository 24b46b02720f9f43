/** The style sheet of the page; its digest is in the policy of the page. */
import { html } from './markup.ts'

/** SHA-256 of the style sheet, base64. test/unit/report/html.test.ts compares it. */
export const STYLE_SHA256 = '53N/ZCx9AREVxSQTgor/K06DBzpWaWBFB69Pl2NrsSY='

/** CSS of the report page, in its element. Colours keep AA contrast in light and dark; outcomes differ by pattern and sign as well. */
export const styleElement = html`<style>
:root{color-scheme:light dark;--bg:#fbfaf8;--card:#fff;--ink:#1d2329;--soft:#59626c;--line:#e3e0da;--edge:#8b8f94;--wash:#f3f1ec;--link:#0b5cad;
--good:#1a7a4c;--goodbg:#e6f3ec;--warn:#8a5a00;--warnbg:#fbf1db;--bad:#b3261e;--badbg:#fbe9e7;--calm:#4a5a6a;--calmbg:#eaeef2;
--matched:#2c8c5e;--manualMatched:#177a7a;--duplicates:#4a78b5;--review:#d99a1c;--unmatched:#8a94a0;--failed:#c0392b;--skipped:#c9c5bc;--grain:#fff;--shade:rgb(29 35 41/.22)}
@media screen and (prefers-color-scheme:dark){:root{--bg:#14171a;--card:#1b1f24;--ink:#e8e6e1;--soft:#a3abb4;--line:#30363d;--edge:#717982;--wash:#22272d;--link:#7db7f2;
--good:#6fce9e;--goodbg:#16301f;--warn:#e9b955;--warnbg:#33280f;--bad:#ff9086;--badbg:#3a1a17;--calm:#b3c0cd;--calmbg:#242c34;
--matched:#3fa876;--manualMatched:#35a0a0;--duplicates:#6b9ad6;--review:#e0aa3e;--unmatched:#7d8894;--failed:#e06a5e;--skipped:#4c525a;--grain:#14171a;--shade:rgb(163 171 180/.3)}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main,footer{max-width:66rem;margin:0 auto;padding:0 1.5rem}
header{max-width:66rem;margin:0 auto;padding:2.5rem 1.5rem 0}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0}
ul,ol{padding:0;list-style:none}
h1{font-size:1.75rem;line-height:1.2;font-weight:650;letter-spacing:-.015em}
h2{font-size:1.15rem;font-weight:650;letter-spacing:-.005em}
h3{font-size:.95rem;font-weight:650}.lead+h3,.scroll+h3{margin:1rem 0 .4rem}
section{margin-top:2.75rem}
section>h2+*,section>.lead+*{margin-top:.9rem}
.lead{color:var(--soft);margin-top:.25rem;max-width:46rem}
.soft{color:var(--soft)}.small{font-size:.875rem}.numbers+p,.scroll+p,.legend+p{margin-top:.7rem}.scroll+.stack{margin-top:1rem}.nowrap{white-space:nowrap}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:3px;border-radius:3px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:1}
.eyebrow{color:var(--soft);font-size:.875rem;margin-bottom:.35rem}
.badge{display:inline-flex;align-items:center;gap:.4em;padding:.15em .75em;border-radius:2em;font-size:.875rem;font-weight:600;white-space:nowrap}
h1 .badge{vertical-align:.25em;margin-left:.35rem;letter-spacing:0}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.calm{color:var(--calm)}
.badge.good{background:var(--goodbg)}.badge.warn{background:var(--warnbg)}.badge.bad{background:var(--badbg)}.badge.calm{background:var(--calmbg)}
.message{font-size:1.125rem;margin-top:.75rem;max-width:50rem}
.facts{display:flex;flex-wrap:wrap;gap:.75rem 2.25rem;margin-top:1.25rem}
.facts dt{color:var(--soft);font-size:.8125rem}.facts dd{font-size:.9375rem}
.note{border-left:4px solid currentColor;border-radius:0 8px 8px 0;padding:.9rem 1.15rem;margin-top:1.25rem}
.note.bad{background:var(--badbg)}.note.warn{background:var(--warnbg)}.note.calm{background:var(--calmbg)}
.note>*{color:var(--ink)}.note p+p{margin-top:.5rem}
.command{display:block;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.55rem .8rem;margin-top:.5rem;user-select:all;-webkit-user-select:all;cursor:text}
.pipeline>*+*{margin-top:.6rem}.pipeline h3{font-size:1.05rem}.pipeline .badge{margin-left:.35rem}.pipeline .outcomes{height:18px}.legend.row{display:flex;flex-wrap:wrap;margin:.9rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.25rem 1.4rem}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));background:var(--card);border:1px solid var(--line);border-radius:12px;margin-top:2rem;overflow:hidden}
.numbers>div{display:flex;flex-direction:column;padding:1.1rem 1.4rem;box-shadow:1px 1px 0 0 var(--line)}
.numbers dt{order:2;color:var(--soft);font-size:.875rem}.numbers dt a{text-underline-offset:.2em}
.numbers dd.n{font-size:1.9rem;line-height:1.2;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.numbers dd.n.none{white-space:nowrap;font-size:1.15rem;line-height:2.28rem;font-weight:500;letter-spacing:0;color:var(--soft)}
.numbers dd.d{order:3;font-size:.8125rem;color:var(--soft)}
.charts{display:grid;gap:1rem}
@media (min-width:56rem){.charts.two{grid-template-columns:3fr 2fr}}
.nights{grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr))}.nights svg{display:block;width:100%;margin-top:.5rem}.trend{stroke:var(--matched);stroke-width:2;fill:none}.point{fill:var(--matched)}.missing{stroke:var(--bad);stroke-width:1.8;fill:none}h2 .badge{margin-left:.35rem;vertical-align:.1em}
figcaption{font-weight:650;font-size:.95rem;margin-bottom:.75rem}
figcaption .soft{font-weight:400}
svg{display:block;width:100%;height:auto}
.outcomes{height:30px;border-radius:5px}
.legend{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.3rem 1.5rem;margin-top:1rem;font-size:.9rem}
.legend li{display:flex;align-items:center;gap:.55rem;white-space:nowrap}.legend svg{width:14px;height:14px;flex:none;border-radius:3px}
.legend b{margin-left:auto;font-weight:600;font-variant-numeric:tabular-nums}.legend .soft{min-width:3.6em;text-align:right;font-variant-numeric:tabular-nums}
.f-matched{fill:var(--matched)}.f-manualMatched{fill:var(--manualMatched)}.f-duplicates{fill:var(--duplicates)}.f-review{fill:var(--review)}
.f-unmatched{fill:var(--unmatched)}.f-failed{fill:var(--failed)}.f-skipped{fill:var(--skipped)}
.grain{stroke:var(--grain);stroke-width:1.6;opacity:.6;fill:none}.dot{fill:var(--grain);opacity:.75}.cut{fill:var(--card)}
.column{fill:var(--duplicates)}.axis{stroke:var(--line)}.tick{fill:var(--soft);font:11px system-ui,sans-serif}.strong{fill:var(--ink);stroke:var(--card);stroke-width:4px;paint-order:stroke}
.threshold{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:3 3;fill:none}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:12px;background:linear-gradient(90deg,var(--card) 50%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(270deg,var(--card) 50%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(90deg,var(--shade),transparent) 0 0/1rem 100% no-repeat,linear-gradient(270deg,var(--shade),transparent) 100% 0/1rem 100% no-repeat var(--card)}
table{border-collapse:collapse;width:100%;font-size:.9rem;overflow-wrap:break-word}td code{overflow-wrap:anywhere}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:left;vertical-align:top;padding:.6rem 1.1rem}
.nights~details th,.nights~details td{padding:.6rem .7rem}
tbody tr+tr>*{border-top:1px solid var(--line)}
thead th{font-size:.8125rem;font-weight:600;color:var(--soft);background:var(--wash);white-space:nowrap}
tbody th{font-weight:600}tbody th .sub{font-weight:400}
@media (min-width:44.01rem){.wide{table-layout:fixed}.wide th:nth-child(1){width:12%}.wide th:nth-child(1) .sub{white-space:normal;overflow-wrap:anywhere}.wide th:nth-child(2),.wide th:nth-child(3){width:27%}.wide th:nth-child(4){width:9%}
.groups thead th{white-space:normal;vertical-align:bottom}.groups th,.groups td{padding-left:.55rem;padding-right:.55rem}.groups th:first-child{padding-left:1.1rem}.groups tbody th{min-width:4.25rem;overflow-wrap:anywhere}.groups th:last-child,.groups td:last-child{min-width:9rem;padding-right:1.1rem}}
.r{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.sub{display:block;color:var(--soft);font-size:.8125rem}
.name{font-weight:600}
.sub .cell{display:inline-block;margin-right:.7em}
.differs{background:var(--warnbg);box-shadow:inset 0 -2px 0 var(--review);border-radius:2px;padding:0 .15em;font-style:normal}
.why{display:flex;flex-wrap:wrap;gap:.3rem}.why li{border-radius:5px;padding:.05rem .5rem;background:var(--calmbg);color:var(--calm);font-size:.8125rem}
.why .for{background:var(--goodbg);color:var(--good)}.why .against{background:var(--badbg);color:var(--bad)}.why .near{background:var(--warnbg);color:var(--warn)}
.score{display:inline-block;min-width:3.2rem;font-weight:600}.meter{width:3.2rem;height:4px;margin-top:.3rem;border-radius:2px;margin-left:auto}
.alerts{display:grid;gap:.6rem}.alerts .note{margin-top:0}
details{margin-top:.75rem}summary{cursor:pointer;color:var(--link);width:fit-content}
details>*+*{margin-top:.75rem}
.stack{display:grid;gap:1rem}
.pairs{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.45rem 1.75rem;font-size:.9rem}.pairs dt{color:var(--soft)}
.path{display:flex;flex-wrap:wrap;gap:.35rem .6rem;margin-top:.6rem;font-size:.9rem}.path li{background:var(--wash);border-radius:6px;padding:.15rem .6rem}
.path li+li::before{content:"→";color:var(--soft);margin:0 .6rem 0 -1.55rem;position:relative}
.path li+li{margin-left:1.1rem}
.steps{display:grid;gap:.45rem;background:var(--card);border:1px solid var(--line);border-left:4px solid var(--link);border-radius:8px;padding:.9rem 1.2rem}.steps li::before{content:"→";color:var(--soft);margin-right:.6em}.next{margin-top:2rem}
.columns code,.columns .soft{white-space:nowrap}
.group{margin-top:1.25rem}.group>h3{margin-bottom:.5rem}
.track{fill:var(--wash)}.span{fill:var(--duplicates)}.span.bad{fill:var(--failed)}.bar{width:8rem;height:5px;border-radius:3px;margin:.3rem 0 0 auto}
.ondesk,.desked .paper{display:none}.desked .ondesk{display:inline}.desked section.ondesk{display:block}
button,input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:7px;padding:.3rem .7rem;min-height:2.1rem}
button{cursor:pointer}button:hover:not(:disabled){border-color:var(--link)}button:disabled{color:var(--soft);cursor:default}
button.primary:not(:disabled){background:var(--link);border-color:var(--link);color:var(--card)}
[data-key]::before{content:attr(data-key);font:600 .75rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;border:1px solid currentColor;border-radius:4px;padding:.1rem .32rem;margin-right:.5rem}
.copy{font-size:.75rem;padding:.05rem .5rem;min-height:0;margin-left:.6rem;color:var(--soft)}.command+.copy{margin:.4rem 0 0}
#desk{margin-top:1.1rem;scroll-margin-top:1rem}
.deskhead{display:flex;flex-wrap:wrap;align-items:end;gap:.75rem 1rem;margin-bottom:.9rem}
.deskhead label{display:grid;font-size:.8125rem;color:var(--soft)}.deskhead label input{color:var(--ink);font-size:.9rem}.deskhead label input[type=text]{width:9rem}.deskhead button{font-size:.9rem}
.progress{flex:1 1 9rem;font-size:.9375rem;font-weight:600;font-variant-numeric:tabular-nums}
.progress .track{display:block;height:6px;border-radius:3px;background:var(--line);margin-top:.45rem;overflow:hidden}.progress .track span{display:block;height:100%;background:var(--matched)}
.filters{display:grid;gap:.6rem;margin-bottom:.75rem;font-size:.875rem}
.chips,.selects{display:flex;flex-wrap:wrap;gap:.45rem}.selects input{flex:1 1 10rem;min-width:8rem}.selects select{max-width:15rem}
.chip{border-radius:2em;padding:.15rem .85rem;min-height:1.9rem;font-variant-numeric:tabular-nums}.chip[aria-pressed=true]{background:var(--ink);border-color:var(--ink);color:var(--bg)}
.halves{display:grid;grid-template-columns:19rem 1fr;border:1px solid var(--line);border-radius:12px;background:var(--card);overflow:hidden}
.rows{height:36rem;overflow-y:auto;border-right:1px solid var(--line);overscroll-behavior:contain;background:var(--card)}
.rows:focus-visible{outline-offset:-3px}
.sheet{position:relative}
.item{position:absolute;left:0;right:0;height:60px;padding:.5rem .9rem .5rem 1rem;display:grid;grid-template-columns:1fr auto;gap:0 .6rem;align-content:center;border-bottom:1px solid var(--line);cursor:pointer;font-size:.9rem;line-height:1.35;border-left:3px solid transparent}
.item>*{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.item .score{min-width:0;text-align:right;font-variant-numeric:tabular-nums}
.item .with,.item .sign{color:var(--soft);font-size:.8125rem}.item .name{font-weight:600}
.item[aria-selected=true]{background:var(--wash);border-left-color:var(--link)}
.item.accepted .sign{color:var(--good)}.item.rejected .sign{color:var(--bad)}.item.later .sign{color:var(--warn)}
.item.accepted .name,.item.rejected .name{font-weight:400}
.pane{min-width:0;height:36rem;overflow-y:auto;overscroll-behavior:contain;background:linear-gradient(var(--card) 50%,transparent) 0 0/100% 2.5rem no-repeat local,linear-gradient(0deg,var(--card) 50%,transparent) 0 100%/100% 2.5rem no-repeat local,linear-gradient(0deg,var(--shade),transparent) 0 100%/100% 1rem no-repeat}.pane .none{padding:2rem 1.4rem}
.detail{padding:1.1rem 1.25rem 1.25rem}.detail h3{font-size:1.2rem;line-height:1.3;margin-top:.15rem}
.verbs{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.7rem 0 .9rem;font-size:.875rem}
.mark{font-weight:600;margin-left:.3rem}.mark.accepted{color:var(--good)}.mark.rejected{color:var(--bad)}.mark.later{color:var(--warn)}
.beside{border-width:1px 0 0;border-radius:0;background-color:transparent;margin:0 -1.25rem}.beside th,.beside td{padding:.45rem .8rem;min-width:10.5rem;max-width:18rem}.beside tr>:first-child{padding-left:1.25rem}.beside tbody th,.beside thead td{min-width:5.5rem;color:var(--soft);font-weight:400;font-size:.8125rem}
.beside thead th{white-space:normal;vertical-align:bottom}.beside .top{display:flex;gap:.6rem;align-items:baseline;margin-bottom:.4rem;color:var(--soft);font-weight:400}.beside .top .score{min-width:0;color:var(--ink);white-space:nowrap}.beside .id{overflow-wrap:anywhere}
.beside .yes{width:100%;color:var(--ink);font-weight:600}.beside .yes[aria-pressed=true]{background:var(--good);border-color:var(--good);color:var(--card)}
.beside .chosen{background:var(--goodbg)}
.fall{display:grid;grid-template-columns:auto 1fr auto;gap:.1rem .5rem;align-items:center;font-size:.75rem;color:var(--soft);margin-top:.6rem}
.fall dd{display:contents}.fallbar{display:block;height:6px;position:relative;background:linear-gradient(var(--line),var(--line)) 50%/1px 100% no-repeat}
.fallbar span{position:absolute;top:0;height:100%;border-radius:1px}.fallbar .more{left:50%;background:var(--matched)}.fallbar .less{right:50%;background:var(--failed)}.fall .n{font-variant-numeric:tabular-nums;text-align:right}
.keys{margin-top:.6rem;font-size:.875rem}.fact{display:block}.facts{overflow-wrap:anywhere}dialog{background:var(--card);color:var(--ink);border:1px solid var(--edge);border-radius:12px;padding:1.25rem}dialog .pairs{margin:.6rem 0 1rem}dialog::backdrop{background:var(--shade)}
.draggable{cursor:crosshair;touch-action:none}.band{fill:var(--link);opacity:.16;pointer-events:none}
footer{color:var(--soft);font-size:.8125rem;padding-top:2.5rem;padding-bottom:3.5rem}
@media (max-width:44rem){body{font-size:15px}header{padding:1.5rem 1rem 0}main,footer{padding-left:1rem;padding-right:1rem}h1{font-size:1.4rem}h1 .badge{margin-left:0;display:flex;width:fit-content;margin-top:.5rem}
section{margin-top:2.1rem}.numbers{grid-template-columns:1fr 1fr}.numbers>div{padding:.8rem 1rem}.numbers dd.n{font-size:1.5rem}.card{padding:1rem}
th,td{padding:.5rem .75rem}.pairs{grid-template-columns:1fr;gap:0}.pairs dd{margin-bottom:.55rem}
table,tbody,tr,td,th{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{padding:.8rem 1rem}tbody tr+tr{border-top:1px solid var(--line)}tbody tr+tr>*{border-top:0}td,tbody th{padding:.2rem 0;text-align:left;display:grid;grid-template-columns:6.75rem 1fr;gap:.75rem;overflow-wrap:anywhere;white-space:normal}
.r,td.r,tbody th.r{text-align:left}[data-label]::before{content:attr(data-label);color:var(--soft);font-size:.8125rem;font-weight:400}.meter,.bar{margin-left:0}}
@media (max-width:52rem){.beside th,.beside td{min-width:8rem;padding:.4rem .6rem}.fall{grid-template-columns:1fr auto}.fall dt{grid-column:1/-1}.deskhead label{flex:1 1 9rem}.halves{grid-template-columns:1fr}.rows{height:15rem;border-right:0;border-bottom:1px solid var(--line)}.pane{height:auto}.beside table,.beside tbody,.beside thead,.beside tr,.beside td,.beside th{display:revert}.beside thead{position:static;clip-path:none;width:auto;height:auto}.beside [data-label]::before{content:none}.beside tbody th,.beside thead td{min-width:0;white-space:nowrap;overflow-wrap:normal}}
@media (max-width:30rem){.beside th,.beside td{min-width:6.7rem;max-width:7.6rem;padding:.4rem;overflow-wrap:anywhere}.beside tr>:first-child{padding-left:.7rem;max-width:4.6rem;white-space:normal;overflow-wrap:anywhere}.beside .yes{padding:.3rem .2rem;overflow-wrap:normal}.beside .yes::before{display:none}.beside .top{flex-wrap:wrap;gap:0 .6rem}.detail{padding:1rem .7rem}.beside{margin:0 -.7rem}}
@media print{.desked .paper{display:revert}.desked .ondesk,#desk,.copy,.skip{display:none!important}:root{color-scheme:light}body{background:#fff;font-size:10.5pt}header,main,footer{max-width:none;padding-left:0;padding-right:0}.card,.scroll,.numbers{break-inside:avoid}.scroll{overflow:visible;background:none}tr{break-inside:avoid}
summary{color:inherit}section{margin-top:1.6rem}h2{break-after:avoid}}
</style>`
