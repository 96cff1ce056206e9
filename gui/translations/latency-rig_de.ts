<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
 <context>
  <name>Banner</name>
  <message>
   <location filename="gui/widgets/banner.py" />
   <source>and {0} more, in Results</source>
   <translation>und {0} weitere, unter Ergebnisse</translation>
  </message>
 </context>
 <context>
  <name>BeginDialog</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/bench_choice.py" />
   <source>A name for the new bench, such as the board's; or choose one that was begun, to go on with it.</source>
   <translation>Ein Name für den neuen Prüfstand, etwa der des Boards; oder einen begonnenen wählen und dort weitermachen.</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/bench_choice.py" />
   <source>Go on</source>
   <translation>Weiter</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/bench_choice.py" />
   <source>New bench</source>
   <translation>Neuer Prüfstand</translation>
  </message>
 </context>
 <context>
  <name>BenchCombo</name>
  <message>
   <location filename="gui/pages/wire/benches.py" />
   <source>Bench</source>
   <translation>Prüfstand</translation>
  </message>
 </context>
 <context>
  <name>CalibrateMenu</name>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>&amp;New bench …</source>
   <translation>&amp;Neuer Prüfstand …</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>&amp;Open fixture …</source>
   <translation>&amp;Verdrahtung öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>Open &amp;calibration …</source>
   <translation>&amp;Kalibrierung öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>S&amp;top</source>
   <translation>S&amp;topp</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>Take &amp;all steps</source>
   <translation>&amp;Alle Schritte</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>Take this &amp;step</source>
   <translation>Diesen &amp;Schritt</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/actions.py" />
   <source>The bench's o&amp;wn calibration</source>
   <translation>Kalibrierung des &amp;Prüfstands</translation>
  </message>
 </context>
 <context>
  <name>CalibratePage</name>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>A measurement is going on and has the instruments; wait for it.</source>
   <translation>Eine Messung läuft und hat die Geräte; bitte ihr Ende abwarten.</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Calibrate</source>
   <translation>Kalibrieren</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Connect:</source>
   <translation>Anschließen:</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Faults found</source>
   <translation>Fehler gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Kept</source>
   <translation>Aufbewahrt</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Not calibrated</source>
   <translation>Nicht kalibriert</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Open calibration</source>
   <translation>Kalibrierung öffnen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Open fixture</source>
   <translation>Verdrahtung öffnen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>nothing to mend</source>
   <translation>nichts zu beheben</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>what to do is said below</source>
   <translation>was zu tun ist, steht unten</translation>
  </message>
 </context>
 <context>
  <name>CalibrationCombo</name>
  <message>
   <location filename="gui/pages/run/calibration_combo.py" />
   <source>A file …</source>
   <translation>Eine Datei …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/calibration_combo.py" />
   <source>Calibration</source>
   <translation>Kalibrierung</translation>
  </message>
  <message>
   <location filename="gui/pages/run/calibration_combo.py" />
   <source>bench's own</source>
   <translation>die eigene</translation>
  </message>
  <message>
   <location filename="gui/pages/run/calibration_combo.py" />
   <source>none</source>
   <translation>keine</translation>
  </message>
 </context>
 <context>
  <name>Chart</name>
  <message>
   <location filename="gui/pages/results/charts/course_chart.py" />
   <source>Values over time</source>
   <translation>Werte über der Zeit</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>latencies in a bin</source>
   <translation>Latenzen je Klasse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>latency in µs</source>
   <translation>Latenz in µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>max {} µs</source>
   <translation>max. {} µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>no latencies</source>
   <translation>keine Latenzen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>share of latencies above</source>
   <translation>Anteil der Latenzen darüber</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>share of latencies in a bin</source>
   <translation>Anteil der Latenzen je Klasse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>share of values above</source>
   <translation>Anteil der Werte darüber</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>share of values in a bin</source>
   <translation>Anteil der Werte je Klasse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/course_chart.py" />
   <source>time in s since the first value</source>
   <translation>Zeit in s seit dem ersten Wert</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>value in µs</source>
   <translation>Wert in µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>values in a bin</source>
   <translation>Werte je Klasse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/charts.py" />
   <source>{0} in µs</source>
   <translation>{0} in µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/course_chart.py" />
   <source>{0} s: {1} to {2} µs</source>
   <translation>{0} s: {1} bis {2} µs</translation>
  </message>
 </context>
 <context>
  <name>ChartWidget</name>
  <message>
   <location filename="gui/pages/results/charts/widget.py" />
   <source>{}{} above ({})</source>
   <translation>{}{} darüber ({})</translation>
  </message>
 </context>
 <context>
  <name>ChildProcess</name>
  <message>
   <location filename="gui/processes/child.py" />
   <source>The process</source>
   <translation>Der Prozess</translation>
  </message>
  <message>
   <location filename="gui/processes/child.py" />
   <source>{0} could not be started: {1}</source>
   <translation>{0} ließ sich nicht starten: {1}</translation>
  </message>
  <message>
   <location filename="gui/processes/child.py" />
   <source>{0} ended unasked, exit code {1}.</source>
   <translation>{0} endete ungebeten, Exit-Code {1}.</translation>
  </message>
  <message>
   <location filename="gui/processes/child.py" />
   <source>{0} sent what cannot be read.</source>
   <translation>{0} sandte Unlesbares.</translation>
  </message>
  <message>
   <location filename="gui/processes/child.py" />
   <source>{0} was killed by signal {1}.</source>
   <translation>{0} wurde durch Signal {1} beendet.</translation>
  </message>
 </context>
 <context>
  <name>Chooser</name>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>, {0} skipped</source>
   <translation>, {0} übersprungen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Bench</source>
   <translation>Prüfstand</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Calibration</source>
   <translation>Kalibrierung</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Measure several plans, one after the other</source>
   <translation>Mehrere Messpläne nacheinander messen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Plan</source>
   <translation>Messplan</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Several</source>
   <translation>Mehrere</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Stimuli</source>
   <translation>Stimuli</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>Tick the plans to be measured.</source>
   <translation>Kreuzen Sie die Messpläne an, die gemessen werden sollen.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>as planned</source>
   <translation>wie geplant</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>at most {0} events in {1}</source>
   <translation>höchstens {0} Ereignisse in {1}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>{0} events in about {1}</source>
   <translation>{0} Ereignisse in etwa {1}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>{0} plans</source>
   <translation>{0} Messpläne</translation>
  </message>
  <message>
   <location filename="gui/pages/run/chooser.py" />
   <source>{0} runs: {1} plans, {2} scenarios</source>
   <translation>{0} Läufe: {1} Messpläne, {2} Szenarien</translation>
  </message>
 </context>
 <context>
  <name>ChosenRun</name>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>As stored in the file; the whole report: rig report {0}</source>
   <translation>Wie in der Datei gespeichert; der ganze Bericht: rig report {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>Computing figures of what has been recorded...</source>
   <translation>Kennzahlen des Aufgezeichneten werden berechnet …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>Computing figures: none are stored...</source>
   <translation>Kennzahlen werden berechnet: gespeichert sind keine …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>Events are shown when a run has ended.</source>
   <translation>Ereignisse werden gezeigt, sobald der Lauf zu Ende ist.</translation>
  </message>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>Measured inside the target: its log tells the values, not the wires.</source>
   <translation>Im Zielsystem gemessen: Die Werte stehen in seinem Log, nicht auf den Leitungen.</translation>
  </message>
  <message>
   <location filename="gui/pages/results/current_run.py" />
   <source>Provisional: the run goes on, or has no stored figures yet.</source>
   <translation>Vorläufig: der Lauf dauert an oder hat noch keine gespeicherten Kennzahlen.</translation>
  </message>
 </context>
 <context>
  <name>CommandExport</name>
  <message>
   <location filename="gui/pages/results/command_export.py" />
   <source>The export</source>
   <translation>Der Export</translation>
  </message>
  <message>
   <location filename="gui/pages/results/command_export.py" />
   <source>{} written</source>
   <translation>{} geschrieben</translation>
  </message>
 </context>
 <context>
  <name>CompareView</name>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>Complementary distribution</source>
   <translation>Komplementäre Verteilung</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>Figures in µs, and differences from the first run</source>
   <translation>Kennzahlen in µs und Unterschiede zum ersten Lauf</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>Histogram</source>
   <translation>Histogramm</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>Run</source>
   <translation>Lauf</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>Verdict</source>
   <translation>Urteil</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>What differs</source>
   <translation>Was sich unterscheidet</translation>
  </message>
  <message>
   <location filename="gui/pages/results/compare.py" />
   <source>What differs around the runs</source>
   <translation>Was an den Läufen sonst verschieden ist</translation>
  </message>
 </context>
 <context>
  <name>ComplementaryPlot</name>
  <message>
   <location filename="gui/plots/complementary.py" />
   <source>Share of intervals off by more</source>
   <translation>Anteil der Intervalle mit größerer Abweichung</translation>
  </message>
  <message>
   <location filename="gui/plots/complementary.py" />
   <source>Share of latencies above</source>
   <translation>Anteil der Latenzen darüber</translation>
  </message>
  <message>
   <location filename="gui/plots/complementary.py" />
   <source>Share of values above</source>
   <translation>Anteil der Werte darüber</translation>
  </message>
 </context>
 <context>
  <name>ConnectPage</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>Connect</source>
   <translation>Anschließen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>Found</source>
   <translation>Gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>Leave this wire as it is</source>
   <translation>Diesen Draht so lassen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>Look at the wires</source>
   <translation>Drähte prüfen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>Wire</source>
   <translation>Draht</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>left as it is</source>
   <translation>so gelassen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>looking …</source>
   <translation>wird geprüft …</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/connect_page.py" />
   <source>sound</source>
   <translation>in Ordnung</translation>
  </message>
 </context>
 <context>
  <name>Curve</name>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>Answered share over rate</source>
   <translation>Beantworteter Anteil über der Rate</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>Share of periods over their length</source>
   <translation>Anteil der Perioden über ihrer Länge</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>Time between answers over rate</source>
   <translation>Zeit zwischen Antworten über der Rate</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>answered by an answer of its own, %</source>
   <translation>mit eigener Antwort, %</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>average time between answers, us</source>
   <translation>mittlere Zeit zwischen Antworten, µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>kept</source>
   <translation>eingehalten</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>lost or behind</source>
   <translation>verloren oder im Rückstand</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>period, us</source>
   <translation>Periode, µs</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>periods in which the task ran, %</source>
   <translation>Perioden, in denen die Task lief, %</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>periods missed</source>
   <translation>Perioden verpasst</translation>
  </message>
  <message>
   <location filename="gui/pages/results/charts/curve_chart.py" />
   <source>stimuli/s</source>
   <translation>Stimuli/s</translation>
  </message>
 </context>
 <context>
  <name>DrawnPage</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/drawn_page.py" />
   <source>Drawing</source>
   <translation>Zeichnung</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/drawn_page.py" />
   <source>Found</source>
   <translation>Befund</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/drawn_page.py" />
   <source>In words</source>
   <translation>In Worten</translation>
  </message>
 </context>
 <context>
  <name>EventList</name>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>Events worth a look</source>
   <translation>Sehenswerte Ereignisse</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>ambiguous</source>
   <translation>mehrdeutig</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>late</source>
   <translation>late</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>merged</source>
   <translation>merged</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>missed</source>
   <translation>missed</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>new maximum</source>
   <translation>neues Maximum</translation>
  </message>
  <message>
   <location filename="gui/pages/run/events.py" />
   <source>over limit</source>
   <translation>über Grenze</translation>
  </message>
 </context>
 <context>
  <name>EventSelection</name>
  <message>
   <location filename="gui/pages/run/event_selection.py" />
   <source>Looking for the event …</source>
   <translation>Ereignis wird gesucht …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/event_selection.py" />
   <source>Run file: {0}</source>
   <translation>Laufdatei: {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/event_selection.py" />
   <source>That event is not in the run file yet; click again.</source>
   <translation>Dieses Ereignis steht noch nicht in der Laufdatei; noch einmal klicken.</translation>
  </message>
 </context>
 <context>
  <name>EventStrip</name>
  <message>
   <location filename="gui/pages/results/strip/strip.py" />
   <source>Latency over events</source>
   <translation>Latenz über den Ereignissen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/strip/strip.py" />
   <source>event</source>
   <translation>Ereignis</translation>
  </message>
  <message>
   <location filename="gui/pages/results/strip/strip.py" />
   <source>event   {} of this run read so far</source>
   <translation>Ereignis   {} dieses Laufs bisher gelesen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/strip/strip.py" />
   <source>event {}</source>
   <translation>Ereignis {}</translation>
  </message>
  <message>
   <location filename="gui/pages/results/strip/strip.py" />
   <source>latency in µs</source>
   <translation>Latenz in µs</translation>
  </message>
 </context>
 <context>
  <name>EventsView</name>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>This run holds no events yet: its figures are not stored.</source>
   <translation>Dieser Lauf enthält noch keine Ereignisse: seine Kennzahlen sind nicht gespeichert.</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>event 1234, or time 1.25 s</source>
   <translation>Ereignis 1234 oder Zeit 1.25 s</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>no further outlier</source>
   <translation>kein weiterer Ausreißer</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>no further outlier in what has been read so far</source>
   <translation>kein weiterer Ausreißer in dem, was bisher gelesen ist</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>not in what has been read so far</source>
   <translation>nicht in dem, was bisher gelesen ist</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>outliers: late, missed, merged</source>
   <translation>Ausreißer: late, missed, merged</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>outliers: late, missed, merged, above {} µs ({})</source>
   <translation>Ausreißer: late, missed, merged, über {} µs ({})</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>the plan's limit</source>
   <translation>Grenze des Messplans</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>the slowest</source>
   <translation>die langsamsten</translation>
  </message>
  <message>
   <location filename="gui/pages/results/events_view.py" />
   <source>{}: neither event nor time ({})</source>
   <translation>{}: weder Ereignis noch Zeit ({})</translation>
  </message>
 </context>
 <context>
  <name>Exports</name>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>Export capture</source>
   <translation>Aufzeichnung exportieren</translation>
  </message>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>Export picture</source>
   <translation>Bild exportieren</translation>
  </message>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>Export report</source>
   <translation>Bericht exportieren</translation>
  </message>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>Export table</source>
   <translation>Tabelle exportieren</translation>
  </message>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>writing {}</source>
   <translation>{} wird geschrieben</translation>
  </message>
  <message>
   <location filename="gui/pages/results/exports.py" />
   <source>{} written</source>
   <translation>{} geschrieben</translation>
  </message>
 </context>
 <context>
  <name>FiguresPanel</name>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Bench</source>
   <translation>Prüfstand</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Events</source>
   <translation>Ereignisse</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Figures, µs</source>
   <translation>Kennzahlen, µs</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Found</source>
   <translation>Gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Highest rate kept up with</source>
   <translation>Höchste gehaltene Rate</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>How far the host is behind the analyzer; at most {0} ms so far</source>
   <translation>Wie weit der Rechner hinter dem Analysator zurückliegt; bisher höchstens {0} ms</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Kept up with all rates, to</source>
   <translation>Alle Raten gehalten, bis</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Longest interval</source>
   <translation>Längstes Intervall</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Observed maximum</source>
   <translation>Beobachtetes Maximum</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Rate tried now, hold {0}</source>
   <translation>Rate im Versuch, Stufe {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Signs that samples may be missing</source>
   <translation>Anzeichen, dass Abtastwerte fehlen könnten</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Target's tools, {0}</source>
   <translation>Werkzeuge des Zielsystems, {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Values follow at the end</source>
   <translation>Werte folgen am Ende</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Worst interval error</source>
   <translation>Größte Abweichung</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Worst interval error so far</source>
   <translation>Größte Abweichung bisher</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>Worst latency so far</source>
   <translation>Größte Latenz bisher</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>answering</source>
   <translation>antwortet</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>armed</source>
   <translation>bereit</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>average</source>
   <translation>average</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>backlog</source>
   <translation>Rückstand</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>connecting</source>
   <translation>wird verbunden</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>edges seen</source>
   <translation>gesehene Flanken</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>loss</source>
   <translation>Verluste</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>max</source>
   <translation>max</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>measures by itself</source>
   <translation>misst selbst</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>min</source>
   <translation>min</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>periods</source>
   <translation>Perioden</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>rate</source>
   <translation>Rate</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>remaining</source>
   <translation>verbleibend</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>silent, {0} open</source>
   <translation>stumm, {0} offen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>stimuli</source>
   <translation>Stimuli</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>stopped</source>
   <translation>angehalten</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>target</source>
   <translation>Zielsystem</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>values planned</source>
   <translation>geplante Werte</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>{0} at most</source>
   <translation>höchstens {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>{0} of {1}</source>
   <translation>{0} von {1}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/figures.py" />
   <source>{0} of {1} at most</source>
   <translation>{0} von höchstens {1}</translation>
  </message>
 </context>
 <context>
  <name>FindingsView</name>
  <message>
   <location filename="gui/pages/calibrate/findings_view.py" />
   <source>Findings</source>
   <translation>Befunde</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/findings_view.py" />
   <source>What a step finds is said here.</source>
   <translation>Hier steht, was ein Schritt findet.</translation>
  </message>
 </context>
 <context>
  <name>FixtureDocument</name>
  <message>
   <location filename="gui/pages/wire/document.py" />
   <source>{0}: has characters that this editor cannot keep; it is only shown here, change it with another editor</source>
   <translation>{0}: enthält Zeichen, die dieser Editor nicht erhalten kann; hier wird es nur gezeigt, ändern Sie es mit einem anderen Editor</translation>
  </message>
 </context>
 <context>
  <name>FixtureEditor</name>
  <message>
   <location filename="gui/pages/wire/editor.py" />
   <source>Text of the fixture</source>
   <translation>Text der Verdrahtung</translation>
  </message>
 </context>
 <context>
  <name>Form</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/form.py" />
   <source>A file …</source>
   <translation>Eine Datei …</translation>
  </message>
 </context>
 <context>
  <name>HistogramPlot</name>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>Histogram of values, µs</source>
   <translation>Histogramm der Werte, µs</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>Histogram: {0}, µs</source>
   <translation>Histogramm: {0}, µs</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>Intervals off by, µs</source>
   <translation>Abweichung der Intervalle, µs</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>Latency histogram of all rates, µs</source>
   <translation>Histogramm der Latenzen aller Raten, µs</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>Latency histogram, µs</source>
   <translation>Histogramm der Latenzen, µs</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>values follow at the end</source>
   <translation>Werte folgen am Ende</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>worst {0}</source>
   <translation>größte {0}</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>worst {0}, event {1}</source>
   <translation>größte {0}, Ereignis {1}</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>worst {0}, period {1}</source>
   <translation>größte {0}, Periode {1}</translation>
  </message>
  <message>
   <location filename="gui/plots/histogram.py" />
   <source>{0} beyond the right edge · </source>
   <translation>{0} jenseits des rechten Rands · </translation>
  </message>
 </context>
 <context>
  <name>InstrumentDiscovery</name>
  <message>
   <location filename="gui/pages/wire/instrument_discovery.py" />
   <source>A run is going on and has the target; wait for its end.</source>
   <translation>Eine Messung läuft und hat das Zielsystem; warten Sie ihr Ende ab.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instrument_discovery.py" />
   <source>The target of this bench is there only while a run goes on.</source>
   <translation>Das Zielsystem dieses Prüfstands gibt es nur, während eine Messung läuft.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instrument_discovery.py" />
   <source>{0}; write {1} into [{2}] by hand</source>
   <translation>{0}; schreiben Sie {1} von Hand in [{2}]</translation>
  </message>
 </context>
 <context>
  <name>InstrumentList</name>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Ask</source>
   <translation>Fragen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Ask {0}</source>
   <translation>{0} fragen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Found on this machine</source>
   <translation>Auf diesem Rechner gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Look again</source>
   <translation>Neu suchen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Use</source>
   <translation>Verwenden</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>Use {0}</source>
   <translation>{0} verwenden</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>What it has and what it lacks, over ssh</source>
   <translation>Was es hat und was ihm fehlt, über ssh</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>[{0}] {1} in the fixture</source>
   <translation>[{0}] {1} in der Verdrahtung</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>asking {0} …</source>
   <translation>{0} wird gefragt …</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>looking …</source>
   <translation>Suche läuft …</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>{0} missing</source>
   <translation>{0} fehlt</translation>
  </message>
 </context>
 <context>
  <name>LevelMonitor</name>
  <message>
   <location filename="gui/pages/wire/level_monitor.py" />
   <source>The listening process</source>
   <translation>Der mithörende Prozess</translation>
  </message>
 </context>
 <context>
  <name>LiveLevels</name>
  <message>
   <location filename="gui/pages/wire/live_levels.py" />
   <source>A run is going on and has the analyzer; wait for its end.</source>
   <translation>Eine Messung läuft und hat den Analysator; warten Sie ihr Ende ab.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/live_levels.py" />
   <source>Levels and edges as the analyzer sees them now.</source>
   <translation>Pegel und Flanken, wie der Analysator sie jetzt sieht.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/live_levels.py" />
   <source>Opening the analyzer …</source>
   <translation>Analysator wird geöffnet …</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/live_levels.py" />
   <source>The analyzer of this bench is there only while a run goes on.</source>
   <translation>Den Analysator dieses Prüfstands gibt es nur, während eine Messung läuft.</translation>
  </message>
 </context>
 <context>
  <name>MainWindow</name>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;About Latency Rig</source>
   <translation>&amp;Über Latency Rig</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Colors</source>
   <translation>&amp;Farben</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Dark</source>
   <translation>&amp;Dunkel</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;File</source>
   <translation>&amp;Datei</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Full screen</source>
   <translation>&amp;Vollbild</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Help</source>
   <translation>&amp;Hilfe</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Language</source>
   <translation>&amp;Sprache</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Light</source>
   <translation>&amp;Hell</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;Quit</source>
   <translation>&amp;Beenden</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>&amp;View</source>
   <translation>&amp;Ansicht</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>About Latency Rig</source>
   <translation>Über Latency Rig</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>As the &amp;system</source>
   <translation>Wie das &amp;System</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>Measures how fast a real-time system answers, from outside.
GPL-3.0-or-later. Run files are in {0}</source>
   <translation>Misst von außen, wie schnell ein Echtzeitsystem antwortet.
GPL-3.0-or-later. Laufdateien liegen in {0}</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>Measuring</source>
   <translation>Messung läuft</translation>
  </message>
  <message>
   <location filename="gui/window.py" />
   <source>The language changes at the next start.</source>
   <translation>Die Sprache wechselt beim nächsten Start.</translation>
  </message>
 </context>
 <context>
  <name>NotesEditor</name>
  <message>
   <location filename="gui/pages/results/notes_editor.py" />
   <source>Note</source>
   <translation>Notiz</translation>
  </message>
  <message>
   <location filename="gui/pages/results/notes_editor.py" />
   <source>Tags</source>
   <translation>Schlagworte</translation>
  </message>
  <message>
   <location filename="gui/pages/results/notes_editor.py" />
   <source>what is to be remembered of this run</source>
   <translation>was von diesem Lauf zu merken ist</translation>
  </message>
  <message>
   <location filename="gui/pages/results/notes_editor.py" />
   <source>words, with spaces between them</source>
   <translation>Wörter, mit Leerzeichen dazwischen</translation>
  </message>
 </context>
 <context>
  <name>ProbeProcess</name>
  <message>
   <location filename="gui/pages/wire/probe_process.py" />
   <source>Looking failed ({0}); `rig doctor` may tell more.</source>
   <translation>Die Suche schlug fehl ({0}); `rig doctor` sagt vielleicht mehr.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/probe_process.py" />
   <source>The looking process</source>
   <translation>Der suchende Prozess</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/probe_process.py" />
   <source>no answer within {0} s</source>
   <translation>keine Antwort binnen {0} s</translation>
  </message>
 </context>
 <context>
  <name>RecordsTree</name>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>Calibration</source>
   <translation>Kalibrierung</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>Date</source>
   <translation>Datum</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>Holds</source>
   <translation>Gilt</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>Step</source>
   <translation>Schritt</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>Value, U with k = 2</source>
   <translation>Wert, U mit k = 2</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>n</source>
   <translation>n</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>never calibrated</source>
   <translation>nie kalibriert</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/records.py" />
   <source>{0} values</source>
   <translation>{0} Werte</translation>
  </message>
 </context>
 <context>
  <name>ReportView</name>
  <message>
   <location filename="gui/pages/results/report.py" />
   <source>Complementary distribution</source>
   <translation>Komplementäre Verteilung</translation>
  </message>
  <message>
   <location filename="gui/pages/results/report.py" />
   <source>Curve</source>
   <translation>Kurve</translation>
  </message>
  <message>
   <location filename="gui/pages/results/report.py" />
   <source>Histogram</source>
   <translation>Histogramm</translation>
  </message>
  <message>
   <location filename="gui/pages/results/report.py" />
   <source>Quantity</source>
   <translation>Größe</translation>
  </message>
  <message>
   <location filename="gui/pages/results/report.py" />
   <source>Report</source>
   <translation>Bericht</translation>
  </message>
 </context>
 <context>
  <name>ResultBanner</name>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>BROKEN OFF</source>
   <translation>ABGEBROCHEN</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Computing the figures of what was measured until then …</source>
   <translation>Werte des bis dahin Gemessenen werden berechnet …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Copied.</source>
   <translation>Kopiert.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Copy</source>
   <translation>Kopieren</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>LOAD BY HAND</source>
   <translation>LAST VON HAND</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>NOT MEASURED</source>
   <translation>NICHT GEMESSEN</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Nothing was answered. Check the wires to the target's interrupt and from its answer; the wiring check on the Calibrate page tells which one it is.</source>
   <translation>Nichts wurde beantwortet. Die Leitungen zum Interrupt des Zielsystems und von seiner Antwort prüfen; die Verdrahtungsprüfung auf der Seite Kalibrieren sagt, welche es ist.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Nothing was measured, no file was left.</source>
   <translation>Es wurde nichts gemessen und keine Datei angelegt.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>REFUSED</source>
   <translation>ABGELEHNT</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Report</source>
   <translation>Bericht</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>Show in Results</source>
   <translation>In Ergebnisse zeigen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>What was measured until then is in {0}. Mend that and press Run again.</source>
   <translation>Was bis dahin gemessen wurde, liegt in {0}. Beheben Sie das und drücken Sie wieder Messen.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>What was measured until then is kept in {0}; Results opens it, and `rig recover` makes a clean copy.</source>
   <translation>Was bis dahin gemessen wurde, ist in {0} erhalten; Ergebnisse öffnet es, und `rig recover` macht eine saubere Kopie.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>a double click on a plan above shows its run</source>
   <translation>ein Doppelklick auf einen Messplan oben zeigt seinen Lauf</translation>
  </message>
  <message>
   <location filename="gui/pages/run/result_banner.py" />
   <source>{0} OF {1} PASSED</source>
   <translation>{0} VON {1} BESTANDEN</translation>
  </message>
 </context>
 <context>
  <name>Results</name>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;All events</source>
   <translation>&amp;Alle Ereignisse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Compare chosen runs</source>
   <translation>Gewählte Läufe &amp;vergleichen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Go to event or time...</source>
   <translation>Ge&amp;he zu Ereignis oder Zeit …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Next outlier</source>
   <translation>&amp;Nächster Ausreißer</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Previous outlier</source>
   <translation>Vori&amp;ger Ausreißer</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Search</source>
   <translation>&amp;Suchen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>&amp;Zoom out</source>
   <translation>Ver&amp;kleinern</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>C&amp;ursors</source>
   <translation>Mess&amp;cursor</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>E&amp;xport picture...</source>
   <translation>B&amp;ild exportieren …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Edit &amp;tags and note</source>
   <translation>Schlagworte und No&amp;tiz bearbeiten</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Export capture of event...</source>
   <translation>Aufzeichnung des Ereignisses exportieren …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Export report...</source>
   <translation>Bericht exportieren …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Export ta&amp;ble...</source>
   <translation>Tabelle e&amp;xportieren …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Export who&amp;le capture...</source>
   <translation>Ganze A&amp;ufzeichnung exportieren …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Next event</source>
   <translation>Nächstes Ereignis</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Open &amp;folder...</source>
   <translation>&amp;Ordner öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Open &amp;run file...</source>
   <translation>&amp;Laufdatei öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Previous event</source>
   <translation>Voriges Ereignis</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Sho&amp;w report</source>
   <translation>&amp;Bericht zeigen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Show &amp;events</source>
   <translation>&amp;Ereignisse zeigen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>W&amp;orst event</source>
   <translation>Schli&amp;mmstes Ereignis</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Whole e&amp;vent</source>
   <translation>Gan&amp;zes Ereignis</translation>
  </message>
  <message>
   <location filename="gui/pages/results/actions.py" />
   <source>Zoom &amp;in</source>
   <translation>Ve&amp;rgrößern</translation>
  </message>
 </context>
 <context>
  <name>ResultsPage</name>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Choose a run. Those in {} are listed above.</source>
   <translation>Wählen Sie einen Lauf. Die in {} stehen oben.</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Compare</source>
   <translation>Vergleich</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Events</source>
   <translation>Ereignisse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Folder of runs</source>
   <translation>Ordner der Läufe</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Report</source>
   <translation>Bericht</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Results</source>
   <translation>Ergebnisse</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Run file</source>
   <translation>Laufdatei</translation>
  </message>
  <message>
   <location filename="gui/pages/results/page.py" />
   <source>Run files (*.h5)</source>
   <translation>Laufdateien (*.h5)</translation>
  </message>
 </context>
 <context>
  <name>RunEngine</name>
  <message>
   <location filename="gui/engine/client.py" />
   <source>The measuring process</source>
   <translation>Der Messprozess</translation>
  </message>
 </context>
 <context>
  <name>RunMenu</name>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>&amp;Run</source>
   <translation>&amp;Messen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>&amp;Whole histogram</source>
   <translation>&amp;Ganzes Histogramm</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>A run is going on</source>
   <translation>Eine Messung läuft</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>A run is going on.</source>
   <translation>Eine Messung läuft.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Histogram of the &amp;bulk (99.9 %)</source>
   <translation>&amp;Histogramm der Masse (99,9 %)</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>Keep running</source>
   <translation>Weiter messen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Measure &amp;several plans</source>
   <translation>Mehrere Messpläne &amp;nacheinander</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Open &amp;calibration …</source>
   <translation>&amp;Kalibrierung öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Open &amp;fixture …</source>
   <translation>&amp;Verdrahtung öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Open &amp;plan …</source>
   <translation>Mess&amp;plan öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Open r&amp;eport</source>
   <translation>B&amp;ericht öffnen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Read fixture and plan &amp;again</source>
   <translation>Verdrahtung und Messplan neu &amp;lesen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/actions.py" />
   <source>Show in Resu&amp;lts</source>
   <translation>In E&amp;rgebnisse zeigen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>Stop and close</source>
   <translation>Anhalten und schließen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>Stop it in order and close? What has been measured is kept in its run file.</source>
   <translation>Geordnet anhalten und schließen? Was gemessen ist, bleibt in der Laufdatei erhalten.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/questions.py" />
   <source>TOML files (*.toml)</source>
   <translation>TOML-Dateien (*.toml)</translation>
  </message>
 </context>
 <context>
  <name>RunPage</name>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>A run is going on; choose the bench after it.</source>
   <translation>Eine Messung läuft; wählen Sie den Prüfstand danach.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Arming the target …</source>
   <translation>Zielsystem wird scharf geschaltet …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Calibration</source>
   <translation>Kalibrierung</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Computing the figures …</source>
   <translation>Kennzahlen werden berechnet …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Fixture</source>
   <translation>Verdrahtung</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Measuring</source>
   <translation>Messung läuft</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Measuring, at most {0} remaining</source>
   <translation>Messung läuft, noch höchstens {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Measuring, {0} remaining</source>
   <translation>Messung läuft, noch {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Opening the bench …</source>
   <translation>Prüfstand wird geöffnet …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Plan</source>
   <translation>Messplan</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Run</source>
   <translation>Messen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Run file: {0}</source>
   <translation>Laufdatei: {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Stop</source>
   <translation>Anhalten</translation>
  </message>
  <message>
   <location filename="gui/pages/run/page.py" />
   <source>Stopping …</source>
   <translation>Wird angehalten …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>Taking what the instruments still have …</source>
   <translation>Reste aus den Instrumenten werden geholt …</translation>
  </message>
  <message>
   <location filename="gui/pages/run/phase.py" />
   <source>{0} runs on the target …</source>
   <translation>{0} läuft auf dem Zielsystem …</translation>
  </message>
 </context>
 <context>
  <name>RunsTable</name>
  <message>
   <location filename="gui/pages/results/runs_table.py" />
   <source>1 run</source>
   <translation>1 Lauf</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Average µs</source>
   <translation>Mittel µs</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Fixture</source>
   <translation>Verdrahtung</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Max µs</source>
   <translation>Max. µs</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Measurement</source>
   <translation>Messung</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Note</source>
   <translation>Notiz</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Run</source>
   <translation>Lauf</translation>
  </message>
  <message>
   <location filename="gui/pages/results/runs_table.py" />
   <source>Runs</source>
   <translation>Läufe</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Scenario</source>
   <translation>Szenario</translation>
  </message>
  <message>
   <location filename="gui/pages/results/runs_table.py" />
   <source>Search: words in any column, tag:word for tags</source>
   <translation>Suche: Wörter in jeder Spalte, tag:wort für Schlagworte</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Started</source>
   <translation>Begonnen</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Tags</source>
   <translation>Schlagworte</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>Verdict</source>
   <translation>Urteil</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>n</source>
   <translation>n</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>not analyzed</source>
   <translation>nicht ausgewertet</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>p99 µs</source>
   <translation>p99 µs</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>running</source>
   <translation>läuft</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>unreadable</source>
   <translation>unlesbar</translation>
  </message>
  <message>
   <location filename="gui/models/runs/table.py" />
   <source>without an end</source>
   <translation>ohne Ende</translation>
  </message>
  <message>
   <location filename="gui/pages/results/runs_table.py" />
   <source>{} of {} runs</source>
   <translation>{} von {} Läufen</translation>
  </message>
  <message>
   <location filename="gui/pages/results/runs_table.py" />
   <source>{} runs</source>
   <translation>{} Läufe</translation>
  </message>
 </context>
 <context>
  <name>ScenarioRow</name>
  <message>
   <location filename="gui/pages/run/scenario_row.py" />
   <source>Commands of this bench</source>
   <translation>Befehle dieses Prüfstands</translation>
  </message>
  <message>
   <location filename="gui/pages/run/scenario_row.py" />
   <source>Load on the target</source>
   <translation>Last auf dem Zielsystem</translation>
  </message>
  <message>
   <location filename="gui/pages/run/scenario_row.py" />
   <source>none ticked: as each plan has it</source>
   <translation>keine angekreuzt: wie im jeweiligen Messplan</translation>
  </message>
  <message>
   <location filename="gui/pages/run/scenario_row.py" />
   <source>skipped: {0}</source>
   <translation>übersprungen: {0}</translation>
  </message>
 </context>
 <context>
  <name>SeriesCard</name>
  <message>
   <location filename="gui/pages/run/series_card.py" />
   <source>Plans, one after the other: each becomes a run of its own</source>
   <translation>Messpläne, einer nach dem anderen: jeder wird ein eigener Lauf</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>failed</source>
   <translation>gescheitert</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>not measured</source>
   <translation>nicht gemessen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>refused</source>
   <translation>abgelehnt</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>running</source>
   <translation>läuft</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>skipped</source>
   <translation>übersprungen</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>waiting</source>
   <translation>wartet</translation>
  </message>
  <message>
   <location filename="gui/pages/run/series_status.py" />
   <source>{0} of {1} pass</source>
   <translation>{0} von {1} pass</translation>
  </message>
 </context>
 <context>
  <name>StagePage</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/stage_page.py" />
   <source>Begin</source>
   <translation>Beginnen</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/stage_page.py" />
   <source>Done before. {0}</source>
   <translation>Schon erledigt. {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/stage_page.py" />
   <source>Stop</source>
   <translation>Stopp</translation>
  </message>
 </context>
 <context>
  <name>Summary</name>
  <message>
   <location filename="gui/models/summary/service.py" />
   <source>The summing process</source>
   <translation>Der zusammenfassende Prozess</translation>
  </message>
 </context>
 <context>
  <name>TimelinePlot</name>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>Maxima over time, s</source>
   <translation>Maxima über der Zeit, s</translation>
  </message>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>Worst intervals over time, s</source>
   <translation>Größte Abweichungen über der Zeit, s</translation>
  </message>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>none: measured inside the target</source>
   <translation>keine: im Zielsystem gemessen</translation>
  </message>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>signs of loss: {0}</source>
   <translation>Anzeichen von Verlust: {0}</translation>
  </message>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>{0} late or merged</source>
   <translation>{0} late oder merged</translation>
  </message>
  <message>
   <location filename="gui/plots/timeline.py" />
   <source>{0} missed</source>
   <translation>{0} missed</translation>
  </message>
 </context>
 <context>
  <name>TroubleDialog</name>
  <message>
   <location filename="gui/error_dialog.py" />
   <source>Copy report</source>
   <translation>Bericht kopieren</translation>
  </message>
  <message>
   <location filename="gui/error_dialog.py" />
   <source>The window met an error of its own. A run that goes on is not touched by it: it is measured by another process, and its file is kept.
Please send this report to whoever maintains the rig.</source>
   <translation>Im Fenster selbst ist ein Fehler aufgetreten. Ein laufender Lauf ist davon nicht berührt: ein anderer Prozess misst ihn, und seine Datei bleibt erhalten.
Bitte schicken Sie diesen Bericht an die, die das Rig betreuen.</translation>
  </message>
  <message>
   <location filename="gui/error_dialog.py" />
   <source>Unexpected error</source>
   <translation>Unerwarteter Fehler</translation>
  </message>
 </context>
 <context>
  <name>Waveform</name>
  <message>
   <location filename="gui/plots/waveform/picture.py" />
   <source>time in {}</source>
   <translation>Zeit in {}</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/picture.py" />
   <source>zoom in to see edges here</source>
   <translation>vergrößern, um hier Flanken zu sehen</translation>
  </message>
 </context>
 <context>
  <name>WaveformCanvas</name>
  <message>
   <location filename="gui/plots/waveform/canvas.py" />
   <source>Waveform</source>
   <translation>Signalverlauf</translation>
  </message>
 </context>
 <context>
  <name>WaveformCard</name>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Comes with the first answers.</source>
   <translation>Kommt mit den ersten Antworten.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Event {0}</source>
   <translation>Ereignis {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Measured inside the target: no waveform of single values.</source>
   <translation>Im Zielsystem gemessen: kein Signalverlauf einzelner Werte.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Nothing was answered.</source>
   <translation>Nichts wurde beantwortet.</translation>
  </message>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Waveform of the worst event</source>
   <translation>Signale des schlimmsten Ereignisses</translation>
  </message>
  <message>
   <location filename="gui/pages/run/waveform.py" />
   <source>Waveform of the worst event, {0}</source>
   <translation>Signale des schlimmsten Ereignisses, {0}</translation>
  </message>
 </context>
 <context>
  <name>WaveformView</name>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>A {}   B {}   B − A {}</source>
   <translation>A {}   B {}   B − A {}</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>Event {}</source>
   <translation>Ereignis {}</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>at {} s</source>
   <translation>bei {} s</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>input capture</source>
   <translation>Input Capture</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>interval off by {} µs</source>
   <translation>Intervall um {} µs daneben</translation>
  </message>
  <message>
   <location filename="gui/plots/waveform/view.py" />
   <source>target log</source>
   <translation>Log des Zielsystems</translation>
  </message>
 </context>
 <context>
  <name>Wire</name>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>&amp;Cancel</source>
   <translation>&amp;Abbrechen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>&amp;Discard</source>
   <translation>&amp;Verwerfen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>&amp;Keep editing</source>
   <translation>&amp;Weiter bearbeiten</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>&amp;Replace</source>
   <translation>&amp;Ersetzen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>&amp;Save</source>
   <translation>&amp;Speichern</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>(pin not named)</source>
   <translation>(Pin nicht benannt)</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>Analyzer</source>
   <translation>Analysator</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/layout.py" />
   <source>Bench</source>
   <translation>Prüfstand</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>Changed on disk</source>
   <translation>Auf der Platte geändert</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/picture.py" />
   <source>Drawn once the text has no error.</source>
   <translation>Wird gezeichnet, sobald der Text keinen Fehler hat.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>It is not what was opened here. Replace it with what is here?</source>
   <translation>Sie ist nicht mehr, was hier geöffnet wurde. Durch das Hiesige ersetzen?</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>Microcontroller</source>
   <translation>Mikrocontroller</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>Open fixture</source>
   <translation>Verdrahtung öffnen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/picture.py" />
   <source>Picture of the bench</source>
   <translation>Bild des Prüfstands</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>Save fixture as</source>
   <translation>Verdrahtung speichern unter</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>Save them first?</source>
   <translation>Erst speichern?</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>TOML files (*.toml)</source>
   <translation>TOML-Dateien (*.toml)</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>Target</source>
   <translation>Zielsystem</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>Unsaved changes</source>
   <translation>Ungespeicherte Änderungen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>agent</source>
   <translation>Agent</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>all wired</source>
   <translation>alle verdrahtet</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>analyzer D{0}</source>
   <translation>Analysator D{0}</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>answers by a toggle</source>
   <translation>Antwort als Wechsel</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/picture.py" />
   <source>as it was before the error</source>
   <translation>wie vor dem Fehler</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>edges/s</source>
   <translation>Flanken/s</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>first found</source>
   <translation>das erste gefundene</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>found</source>
   <translation>gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>ground</source>
   <translation>Masse</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>high</source>
   <translation>high</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>level</source>
   <translation>Pegel</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>low</source>
   <translation>low</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>microcontroller {0}</source>
   <translation>Mikrocontroller {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>missing</source>
   <translation>fehlt</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>not found</source>
   <translation>nicht gefunden</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>not wired: {0}</source>
   <translation>nicht verdrahtet: {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>note</source>
   <translation>Hinweis</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/instruments.py" />
   <source>ok</source>
   <translation>ok</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/painting.py" />
   <source>pin not named</source>
   <translation>Pin nicht benannt</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>serial</source>
   <translation>seriell</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>target {0}</source>
   <translation>Zielsystem {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>{0} has changes that are not saved.</source>
   <translation>{0} hat Änderungen, die nicht gespeichert sind.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/questions.py" />
   <source>{0} was changed by somebody else.</source>
   <translation>{0} wurde von jemand anderem geändert.</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/labels.py" />
   <source>{0}, {1} channels</source>
   <translation>{0}, {1} Kanäle</translation>
  </message>
 </context>
 <context>
  <name>WireMenu</name>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>&amp;Look for instruments</source>
   <translation>&amp;Instrumente suchen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>&amp;Open fixture …</source>
   <translation>Verdrahtung &amp;öffnen …</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>&amp;Run on this bench</source>
   <translation>&amp;Auf diesem Prüfstand messen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>&amp;Save</source>
   <translation>&amp;Speichern</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>As&amp;k the target</source>
   <translation>&amp;Zielsystem fragen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>Go to the &amp;error</source>
   <translation>Zum &amp;Fehler</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>Hide le&amp;vels</source>
   <translation>&amp;Pegel verbergen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>Read from &amp;disk again</source>
   <translation>Von der Platte &amp;neu lesen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>Save &amp;as …</source>
   <translation>Speichern &amp;unter …</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>Show le&amp;vels</source>
   <translation>&amp;Pegel zeigen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>To the &amp;picture</source>
   <translation>Zum &amp;Bild</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/actions.py" />
   <source>To the &amp;text</source>
   <translation>Zum &amp;Text</translation>
  </message>
 </context>
 <context>
  <name>WirePage</name>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>No errors: {0} wires</source>
   <translation>Keine Fehler: {0} Leitungen</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>Saved to {0}</source>
   <translation>In {0} gespeichert</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>Wire</source>
   <translation>Verdrahten</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>built in</source>
   <translation>eingebaut</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>changed, not saved</source>
   <translation>geändert, nicht gespeichert</translation>
  </message>
  <message>
   <location filename="gui/pages/wire/page.py" />
   <source>changed; built in, Save makes a file of your own</source>
   <translation>geändert; eingebaut, Speichern macht eine eigene Datei daraus</translation>
  </message>
 </context>
 <context>
  <name>WiresPage</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/wires_page.py" />
   <source>Drawing</source>
   <translation>Zeichnung</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/wires_page.py" />
   <source>Pins and pitfalls</source>
   <translation>Pins und Fallstricke</translation>
  </message>
 </context>
 <context>
  <name>WizardDialog</name>
  <message>
   <location filename="gui/pages/calibrate/wizard/dialog.py" />
   <source>Back</source>
   <translation>Zurück</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/dialog.py" />
   <source>Finish</source>
   <translation>Fertig</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/dialog.py" />
   <source>Leave, go on later</source>
   <translation>Verlassen, später weiter</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/dialog.py" />
   <source>New bench: {0}</source>
   <translation>Neuer Prüfstand: {0}</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/wizard/dialog.py" />
   <source>Next</source>
   <translation>Weiter</translation>
  </message>
 </context>
 <context>
  <name>Worker</name>
  <message>
   <location filename="gui/pages/calibrate/worker.py" />
   <source>Stopped. What was not finished is not recorded.</source>
   <translation>Angehalten. Was nicht fertig wurde, ist nicht aufgezeichnet.</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/worker.py" />
   <source>The working process</source>
   <translation>Der arbeitende Prozess</translation>
  </message>
 </context>
 <context>
  <name>layout</name>
  <message>
   <location filename="gui/pages/calibrate/layout.py" />
   <source>Bench</source>
   <translation>Prüfstand</translation>
  </message>
  <message>
   <location filename="gui/pages/calibrate/layout.py" />
   <source>Clocks watched for</source>
   <translation>Uhren beobachten</translation>
  </message>
 </context>
 <context>
  <name>pages</name>
  <message>
   <location filename="gui/pages/registry.py" />
   <source>Calibrate</source>
   <translation>Kalibrieren</translation>
  </message>
  <message>
   <location filename="gui/pages/registry.py" />
   <source>Results</source>
   <translation>Ergebnisse</translation>
  </message>
  <message>
   <location filename="gui/pages/registry.py" />
   <source>Run</source>
   <translation>Messen</translation>
  </message>
  <message>
   <location filename="gui/pages/registry.py" />
   <source>Wire</source>
   <translation>Verdrahten</translation>
  </message>
 </context>
 <context>
  <name>seconds</name>
  <message>
   <location filename="gui/pages/calibrate/page.py" />
   <source>Clocks watched for</source>
   <translation>Uhren beobachten</translation>
  </message>
 </context>
</TS>
