# SPDX-License-Identifier: GPL-3.0-or-later
"""The window shows each part of a measurement over time, as histogram and as share above x."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QPainter

from gui.pages.results.charts.course_chart import CourseChart
from gui.pages.results.report import ReportView
from gui.theme import theme
from rig.record.reader import RunFile
from rig.session.results import store
from rig.session.stored_results import stored_result
from tests.golden.runs import unpacked


@pytest.fixture
def stored(tmp_path):
    run = unpacked("preemption", tmp_path)
    store(run)
    with RunFile(run) as file:
        return stored_result(file)


def test_each_quantity_can_be_chosen(stored, settings, qtbot):
    view = ReportView(settings)
    qtbot.addWidget(view)
    view.show_result(stored)
    names = [view.quantities.itemData(n) for n in range(view.quantities.count())]
    assert names == [each.name for each in stored.evaluation.measurands]
    picked = []
    view.picked.connect(picked.append)
    for number, each in enumerate(stored.evaluation.measurands):
        view.quantities.setCurrentIndex(number)
        (drawn,) = view.histogram.chart.runs
        assert drawn.high_us == pytest.approx(each.statistics.max_ns / 1e3)
        assert view.tail.chart.runs[0].histogram.n == each.statistics.n
        (_, values) = view.course.chart.ranges()
        assert values.low <= each.statistics.min_ns / 1e3 < values.high
        assert values.high > each.statistics.max_ns / 1e3
        view.histogram.picked.emit(7)
    assert picked == [7]  # only a value of the first is one of an event
    view.show_result(stored)
    assert view.quantities.currentData() == names[-1]


def test_the_course_has_its_largest_value_where_it_was(stored, qtbot):
    course = stored.evaluation.primary.course
    chart = CourseChart(course, stored.evaluation.primary.unit_ns, "cs1 in µs")
    image = QImage(800, 300, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    chart.paint(painter, 800, 300, theme().palette)
    painter.end()
    axes, place = chart.axes(800, 300), int(course.largest.argmax())
    at_s = (place + 0.5) * 2**course.doublings * course.time_unit_s
    at = axes.point(at_s, stored.evaluation.figures.max_ns / 1e3).toPoint()
    assert image.pixelColor(at).name() == theme().palette.bad
    assert "µs" in chart.reading(at_s)
    assert chart.reading(-1.0) == ""
