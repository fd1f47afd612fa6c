import { createHash } from 'node:crypto';

/**
 * The style of the page. Blue and orange rather than green and red, and never a colour without a mark and a word, so
 * that the states can be distinguished without seeing colours.
 */
export const styleSheet = `
:root{--text:#1b1f24;--quiet:#57606a;--page:#fff;--card:#f6f8fa;--line:#d0d7de;--link:#0b57a4;
--ok:#0b57a4;--ok-back:#e7f1fb;--bad:#9a3800;--bad-back:#fff0e5;--wait:#57606a;--wait-back:#f0f2f4;--bar:#5b8fc7;--unusual:#b45309;--bound:#6e7781}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--quiet:#9aa5b1;--page:#0f141a;--card:#161c24;--line:#313a45;
--link:#79b8f5;--ok:#79b8f5;--ok-back:#10253a;--bad:#ffa46b;--bad-back:#3a1d0b;--wait:#b3bdc8;--wait-back:#1e252d;--bar:#4d86c4;--unusual:#ffa46b;--bound:#9aa5b1}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:min(100%,112rem);padding:1.5rem;background:var(--page);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1,h2,h3,p,ul,dl,dd{margin:0}
h1{font-size:1.6rem;line-height:1.2}
a{color:var(--link)}
a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
small,header p,footer,nav span,.about,.none{color:var(--quiet)}
small{font-size:.85rem;font-weight:400}
.banner{margin:1rem 0;padding:.6rem 1rem;border:2px dashed var(--bad);border-radius:.5rem;background:var(--bad-back)}
.summary{margin:1.25rem 0;padding:1rem 1.25rem;border-left:.4rem solid;border-radius:.4rem}
.summary h2{font-size:1.25rem}
.summary p,.summary li{color:var(--text)}
.summary ul{padding-left:1.25rem}
.summary .failures{display:flex;flex-wrap:wrap;gap:.1rem 1.25rem;padding:.4rem 0 0;list-style:none}
.summary.ok{background:var(--ok-back);border-color:var(--ok);color:var(--ok)}
.summary.failing{background:var(--bad-back);border-color:var(--bad);color:var(--bad)}
.summary.waiting{background:var(--wait-back);border-color:var(--wait);color:var(--wait)}
.happened{margin-top:1.5rem}
.happened h2{margin-bottom:.6rem;font-size:1.25rem;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:minmax(0,1fr);gap:.75rem}
.breakdowns{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:.75rem}
.breakdowns>*{flex:1 1 18rem}
.verdict{margin-bottom:.6rem;font-size:1.1rem;overflow-wrap:anywhere}
.progress{margin-bottom:.6rem;color:var(--quiet);font-size:.9rem}
progress{appearance:none;width:8rem;height:.5rem;border:0;border-radius:.25rem;background:var(--line);vertical-align:middle}
progress::-webkit-progress-bar{border-radius:.25rem;background:var(--line)}
progress::-webkit-progress-value{border-radius:.25rem;background:var(--bar)}
progress::-moz-progress-bar{border-radius:.25rem;background:var(--bar)}
@media(min-width:34rem){.figures{grid-template-columns:repeat(2,minmax(0,1fr))}.figure.month,.figure.readiness{grid-column:span 2}}
@media(min-width:64rem){.figures{grid-template-columns:repeat(4,minmax(0,1fr))}}
@media(min-width:105rem){.figures{grid-template-columns:repeat(8,minmax(0,1fr))}}
.figure{display:flex;flex-direction:column;padding:.8rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);min-width:0}
.figure h3{font-size:.95rem;font-weight:600}
.figure p,.figure dl,.figure ul{font-size:.9rem;overflow-wrap:anywhere}
.figure .cost{font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums}
.parts{display:grid;grid-template-columns:minmax(0,1fr) auto minmax(3.5rem,auto);gap:0 .45rem;margin:.3rem 0 0;padding:0;list-style:none;font-size:.9rem}
.parts li{display:grid;grid-column:1/-1;grid-template-columns:subgrid;align-items:baseline;padding:.15rem 0}
.parts .name{overflow-wrap:anywhere}
.parts data,.parts .change{text-align:right;font-variant-numeric:tabular-nums}
.parts .change{color:var(--quiet);font-size:.85rem}
.part{grid-column:1/-1;width:100%;height:.25rem}
.part path{fill:var(--bar)}
.teams{margin-top:.75rem}
.teams table{margin-top:.3rem;table-layout:auto;font-size:.9rem}
.teams th,.teams td{padding:.3rem .6rem}
.figure .value{font-size:1.7rem;font-weight:600;line-height:1.25;font-variant-numeric:tabular-nums}
.figure .of,.figure .of small,.ends{color:var(--quiet);font-size:.85rem}
.of small{display:inline}
.figure dl{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem}
dt{color:var(--quiet)}
.worse{padding-left:1.1rem}
.spike{color:var(--unusual);font-size:.85rem;font-weight:600;white-space:nowrap}
.spark{display:block;flex:none;width:100%;height:3rem;margin-top:auto;padding-top:.4rem;box-sizing:content-box}
.month .spark,.readiness .spark{height:5rem}
.spark .line,.spark .ahead,.spark .budget{fill:none;stroke:var(--bar);stroke-width:2;vector-effect:non-scaling-stroke}
.spark .ahead{stroke-dasharray:2 3}.spark .budget{stroke:var(--unusual);stroke-width:1.5;stroke-dasharray:6 3}
.spark .bars{fill:var(--bar)}.spark .unusual{fill:var(--unusual)}
.spark .bound{fill:none;stroke:var(--bound);stroke-width:1;stroke-dasharray:3 2;vector-effect:non-scaling-stroke}
.ends{display:flex;justify-content:space-between;border-top:1px solid var(--line)}
.overview{margin-top:1.25rem;overflow-x:auto}
.overview h2{margin-bottom:.6rem;font-size:1.25rem}
.overview table{table-layout:auto}
@media(min-width:721px){.teams td,.teams thead th:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}
.overview td:nth-child(n+3):nth-child(-n+7),.overview th:nth-child(n+3):nth-child(-n+7){text-align:right;font-variant-numeric:tabular-nums}
.overview td,.overview th{padding:.55rem .6rem}}
.overview td:nth-child(2){white-space:nowrap}
.overview .spark{width:10rem;height:1.8rem;margin:0;padding:0}
.overview td,.overview th[scope=row]{overflow-wrap:normal}
.overview th[scope=row]{overflow-wrap:anywhere;min-width:7rem}
nav{margin:1.25rem 0 1.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 2rem;padding:0;list-style:none}
.org{margin-top:1.5rem;border:1px solid var(--line);border-radius:.5rem;overflow:hidden}
.org:not([open]){margin-top:.5rem}
.org>summary{padding:.7rem 1rem;background:var(--card);cursor:pointer;overflow-wrap:anywhere}
.org h2{display:inline;font-size:1.15rem}
.about{margin-left:.5rem;font-size:.9rem}
table{width:100%;border-collapse:collapse;table-layout:fixed}
th,td{padding:.55rem 1rem;border-top:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{color:var(--quiet);font-size:.85rem;font-weight:600;white-space:nowrap}
.org thead th{width:13%}.org thead th:first-child{width:25%}.org thead th:nth-child(3){width:16%}.org thead th:last-child,.org thead th:nth-child(5){width:10%}
td:last-child:not([colspan]),thead th:last-child{text-align:right;font-variant-numeric:tabular-nums}
small{display:block}
.state{font-weight:600}
.mark{display:inline-block;width:1.1em;text-align:center}
.state.ok{color:var(--ok)}.state.failing,.withdrawn{color:var(--bad)}.state.running,.state.waiting{color:var(--wait)}
.withdrawn{font-weight:600}
.failure td{padding-top:0;border-top:0}
.failure td>div{padding:.6rem .9rem;border-left:.25rem solid var(--bad);border-radius:.25rem;background:var(--bad-back)}
.message{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88rem}
footer{margin-top:2rem;font-size:.9rem}
@media(max-width:720px){
body{padding:1rem}
nav ul{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td,th{display:block}
th[scope=row]{padding-bottom:.2rem}
td,td:last-child:not([colspan]){display:flex;gap:.75rem;padding:.1rem 1rem;border-top:0;text-align:left}
td[data-title]::before{content:attr(data-title);flex:0 0 6.5rem;color:var(--quiet);font-size:.9rem}
td>div{min-width:0}
td:last-child{padding-bottom:.7rem}
.failure td>div{flex:1}
.about{display:block;margin-left:0}
.teams th[scope=row]{padding:.4rem 0 0}.teams td:nth-child(n):not([colspan]){padding:.1rem 0}.teams td:has(>div:empty){display:none}
.overview tbody tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .75rem;padding:.5rem 0;border-top:1px solid var(--line)}
.overview th[scope=row],.overview td{display:block;min-width:0;padding:0;border:0}
.overview td:nth-child(2),.overview td:nth-child(4),.overview td:nth-child(5),.overview td:nth-child(7),.overview td:nth-child(8){display:none}
.overview td:nth-child(3){text-align:right}
.overview td:nth-child(6){grid-area:2/1/3/3;text-align:left}
.overview td:nth-child(9){grid-area:2/2;justify-content:flex-end;padding:0}
.overview td:nth-child(6) small:has(+.spike){display:none}
.overview td[data-title]::before{content:none}
.overview td:nth-child(6)::before{content:"Month ";display:inline}
.overview td>div,.overview td small{display:inline}
}
@media print{.org,.figure{break-inside:avoid}}
`;

const styleHash = createHash('sha256').update(styleSheet).digest('base64');

/** Allows the page its own style and nothing else: no scripts, frames, forms or outside assets. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
