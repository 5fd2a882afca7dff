"""Families of topics, the map, and colours that everybody tells apart."""

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

from pitmanyor.report.families import MOST_FAMILIES, apart, families, medoids, plane

# How light looks to people without one kind of cones (Machado, Oliveira and Fernandes 2009, severity 1), linear RGB.
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def blocks(n_blocks, per_block, rng):
    """Topics in blocks that share words."""
    rows = []
    for b in range(n_blocks):
        for _ in range(per_block):
            row = np.full(20 * n_blocks, 0.01)
            row[20 * b : 20 * (b + 1)] += rng.gamma(5.0, size=20)
            rows.append(row / row.sum())
    return np.array(rows)


def test_topics_that_share_words_are_a_family():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(40, 2.0))
    found = families(apart(blocks(8, 5, rng), shares), shares)
    assert [len(set(found[5 * b : 5 * b + 5].tolist())) for b in range(8)] == [1] * 8
    size = np.bincount(found, weights=shares)
    assert len(size) == MOST_FAMILIES and (np.diff(size) <= 0).all()


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_few_topics_have_a_colour_each(n):
    shares = np.full(n, 1 / n)
    assert sorted(families(apart(np.full((n, 3), 1 / 3), shares), shares)) == list(range(n))
    assert plane(np.ones((n, n)) - np.eye(n)).shape == (n, 2)


def test_small_topics_have_no_colour_of_their_own():
    shares = np.array([0.5, 0.494, 0.003, 0.003])
    distance = np.array([[0, 1, 0.9, 1], [1, 0, 1, 0.8], [0.9, 1, 0, 0.1], [1, 0.8, 0.1, 0]])
    assert families(distance, shares, 2).tolist() == [0, 1, 0, 1]


def test_medoids_are_the_best_there_are():
    rng = np.random.default_rng(2)
    points, weights = rng.normal(size=(9, 2)), rng.random(9)
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    every = {some: weights @ distance[:, some].min(axis=1) for some in itertools.combinations(range(9), 3)}
    chosen = medoids(distance, weights, 3)
    assert weights @ distance[:, chosen].min(axis=1) <= sorted(every.values())[2]  # swaps may end beside the very best


def test_the_map_keeps_distances_that_a_plane_can_have():
    points = np.random.default_rng(3).normal(size=(12, 2))
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    places = plane(distance, steps=2000)
    assert np.corrcoef(np.linalg.norm(places[:, None] - places, axis=2).ravel(), distance.ravel())[0, 1] > 0.98


def lab(colour, sight):
    """CIE Lab of a colour such as #0072b2, as somebody sees it."""
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    light = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(sight @ light, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_all_eight_colours_are_told_apart(theme, sight):
    css = files("pitmanyor.report").joinpath("assets/style.css").read_text()
    light, dark = re.findall(r":root.*?\{.*?\}", css, flags=re.DOTALL)[:2]
    colours = re.findall(r"--f\d: (#\w{6})", light if theme == "light" else dark)
    seen = [lab(colour, np.array(SIGHT[sight])) for colour in colours]
    assert len(colours) == MOST_FAMILIES
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 12  # 2.3 can just be noticed
