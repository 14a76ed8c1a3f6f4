//! [`Ghosts`]: the atoms of a structure and those of their images that can be near one, by place.

use super::connect::{EdgesError, MOST_IMAGES};
use super::lattice::Lattice;
use crate::error::Error;
use std::ops::Range;

/// The most cells that a position may be away from the cell.
const MOST_CELLS: f64 = 1e6;
/// Up to this number of atoms and images, each atom looks at all of them.
const FEW: usize = 192;

/// Atoms and images, sorted by the bin of a grid that they are in. All memory serves the next structure again.
#[derive(Default)]
pub(super) struct Ghosts {
    /// The position of each atom in the cell, and by how many cells it was moved there.
    home: Vec<[f64; 3]>,
    moved: Vec<[i32; 3]>,
    /// The cells that have ghosts, in lexicographic order.
    cells: Vec<[i32; 3]>,
    /// Coordinates, atom and cell of each ghost.
    coordinates: [Vec<f64>; 3],
    atoms: Vec<u32>,
    images: Vec<u32>,
    /// Coordinates, atom and cell of each ghost, before ghosts are sorted.
    unsorted: Vec<([f64; 3], u32, u32)>,
    bin_of: Vec<u32>,
    grid: Grid,
    squares: Vec<f64>,
    near: Vec<u32>,
}

/// Bins of equal size: columns along the third axis, each of which is cut into shorter bins.
#[derive(Default)]
struct Grid {
    low: [f64; 3],
    bins: [usize; 3],
    /// Bins per length.
    per_length: [f64; 3],
    /// Where the ghosts of each bin start, and their number at the end.
    ptr: Vec<u32>,
}

impl Grid {
    fn bin(&self, axis: usize, x: f64) -> usize {
        // Casts saturate, so that everything outside is in the first or the last bin.
        (((x - self.low[axis]) * self.per_length[axis]) as usize).min(self.bins[axis] - 1)
    }

    /// The distance of a coordinate from a bin.
    fn apart(&self, axis: usize, bin: usize, x: f64) -> f64 {
        let low = self.low[axis] + bin as f64 / self.per_length[axis];
        (low - x).max(x - low - 1.0 / self.per_length[axis]).max(0.0)
    }
}

impl Ghosts {
    /// Forgets the cells of the structure before.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// Finds the images that are less than `radius` away from any atom. Errors if a position cannot be computed with,
    /// or if there are too many. Returns the radius with what rounding may have moved.
    pub(super) fn fill(&mut self, pos: &[[f64; 3]], lattice: Option<&Lattice>, radius: f64) -> Result<f64, Error> {
        let Self { home, moved, cells, unsorted, .. } = self;
        home.clear();
        moved.clear();
        unsorted.clear();
        let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let [mut first, mut last] = [low, high];
        let mut largest: f64 = 0.0;
        for (atom, at) in pos.iter().enumerate() {
            let (mut place, mut cell) = (*at, [0; 3]);
            if let Some(lattice) = lattice {
                let fractions = lattice.fractions(at);
                if !fractions.iter().all(|x| x.abs() < MOST_CELLS) {
                    return Err(EdgesError::Position { atom, pos: *at }.into());
                }
                cell = fractions.map(|x| -(x.floor() as i32));
                let shift = lattice.shift(cell);
                place = std::array::from_fn(|axis| at[axis] + shift[axis]);
                extend(&mut first, &mut last, &lattice.fractions(&place));
            }
            largest = at.iter().chain(&place).fold(largest, |largest, x| largest.max(x.abs()));
            extend(&mut low, &mut high, &place);
            home.push(place);
            moved.push(cell);
        }
        let Some(lattice) = lattice.filter(|_| !pos.is_empty()) else {
            let image = cells.len() as u32;
            cells.push([0; 3]);
            unsorted.extend((0..).zip(home.iter()).map(|(atom, place)| (*place, atom, image)));
            let reach = radius + 1e-14 * largest;
            self.sort(reach, &low, &high);
            return Ok(reach);
        };
        // Cells n along each vector with n in this range can have ghosts.
        let span = |k: usize, reach: f64| {
            let most = if lattice.periodic[k] { last[k] - first[k] + reach / lattice.heights[k] + 1e-9 } else { 0.0 };
            most.floor()
        };
        let images = (0..3).map(|k| 2.0 * span(k, radius) + 1.0).product::<f64>() * pos.len() as f64;
        if images > MOST_IMAGES + 27.0 * pos.len() as f64 {
            return Err(EdgesError::Images { radius, images }.into());
        }
        // Rounding of coordinates is far less than this share of the largest.
        let largest = largest + (0..3).map(|k| (span(k, radius) + 1.0) * lattice.longest(k)).sum::<f64>();
        let reach = radius + 1e-13 * (largest + radius);
        let range = |k: usize| {
            let most = span(k, reach) as i32;
            -most..=most
        };
        let near = |x: &[f64; 3]| (0..3).all(|axis| x[axis] > low[axis] - reach && x[axis] < high[axis] + reach);
        for i in range(0) {
            for j in range(1) {
                for k in range(2) {
                    let cell = [i, j, k];
                    let shift = lattice.shift(cell);
                    let (image, before) = (cells.len() as u32, unsorted.len());
                    let places = home.iter().map(|place| std::array::from_fn(|axis| place[axis] + shift[axis]));
                    unsorted.extend(
                        (0..).zip(places).filter(|(_, place)| near(place)).map(|(atom, place)| (place, atom, image)),
                    );
                    if unsorted.len() > before {
                        cells.push(cell);
                    }
                }
            }
        }
        self.sort(reach, &low.map(|x| x - reach), &high.map(|x| x + reach));
        Ok(reach)
    }

    /// Sorts the ghosts, which are between `low` and `high`, into bins that suit a search of this radius.
    fn sort(&mut self, radius: f64, low: &[f64; 3], high: &[f64; 3]) {
        let Self { coordinates, atoms, images, unsorted, bin_of, grid, squares, near, .. } = self;
        let ghosts = unsorted.len();
        grid.bins = [1; 3];
        grid.per_length = [0.0; 3];
        grid.low = *low;
        if ghosts > FEW && radius.is_finite() {
            // Columns of the radius, of which a search reads 9; fewer where most would be empty. Half as wide took 1.25
            // times as long in crystals, with 22 neighbours each, and 1.11 times with 75.
            let mut width = radius;
            loop {
                let count = |axis: usize, width: f64| ((high[axis] - low[axis]) / width).floor().clamp(1.0, 1e6);
                let bins = [count(0, width), count(1, width), count(2, width / 2.0)];
                if bins.iter().product::<f64>() <= 4.0 * ghosts as f64 {
                    grid.bins = bins.map(|count| count as usize);
                    break;
                }
                width *= 1.25;
            }
            for axis in 0..3 {
                let length = high[axis] - low[axis];
                grid.per_length[axis] = if length > 0.0 { grid.bins[axis] as f64 / length } else { 0.0 };
            }
        }
        let [x, y, z] = coordinates;
        [&mut *x, y, z].into_iter().for_each(|column| column.resize(ghosts, 0.0));
        [&mut *atoms, images].into_iter().for_each(|column| column.resize(ghosts, 0));
        // One more, for what is not near after all have been found.
        near.resize(ghosts + 1, 0);
        squares.resize(ghosts, 0.0);
        let mut put = |place: usize, &(at, atom, image): &([f64; 3], u32, u32)| {
            (x[place], y[place], z[place]) = (at[0], at[1], at[2]);
            (atoms[place], images[place]) = (atom, image);
        };
        grid.ptr.clear();
        if grid.bins == [1; 3] {
            grid.ptr.extend([0, ghosts as u32]);
            unsorted.iter().enumerate().for_each(|(place, ghost)| put(place, ghost));
            return;
        }
        grid.ptr.resize(grid.bins.iter().product::<usize>() + 2, 0);
        bin_of.clear();
        for (at, _, _) in unsorted.iter() {
            let [i, j, k] = std::array::from_fn(|axis| grid.bin(axis, at[axis]));
            let bin = (i * grid.bins[1] + j) * grid.bins[2] + k;
            bin_of.push(bin as u32);
            grid.ptr[bin + 2] += 1;
        }
        (2..grid.ptr.len()).for_each(|bin| grid.ptr[bin] += grid.ptr[bin - 1]);
        for (ghost, &bin) in unsorted.iter().zip(&*bin_of) {
            // Where the next ghost of this bin goes; in the end, where those of the next bin begin.
            let place = &mut grid.ptr[bin as usize + 1];
            put(*place as usize, ghost);
            *place += 1;
        }
    }

    /// Finds the ghosts that are less than about `reach` away from an atom, including itself, and returns their number.
    pub(super) fn near(&mut self, atom: u32, reach: f64) -> usize {
        let Self { home, coordinates, grid, squares, near, .. } = self;
        let (at, square) = (home[atom as usize], reach * reach);
        let mut count = 0;
        let mut scan = |run: Range<usize>| {
            let [x, y, z] = [0, 1, 2].map(|axis| &coordinates[axis][run.clone()]);
            let squares = &mut squares[..x.len()];
            // Two loops: the first has no branch and no dependency, so that the compiler vectorizes it.
            for (((square, x), y), z) in squares.iter_mut().zip(x).zip(y).zip(z) {
                let [x, y, z] = [x - at[0], y - at[1], z - at[2]];
                *square = x * x + y * y + z * z;
            }
            for (ghost, found) in (run.start as u32..).zip(&*squares) {
                near[count] = ghost;
                count += usize::from(*found < square);
            }
        };
        if grid.bins == [1; 3] {
            scan(0..coordinates[0].len());
        } else {
            let bins = |axis: usize, reach: f64| grid.bin(axis, at[axis] - reach)..=grid.bin(axis, at[axis] + reach);
            for i in bins(0, reach) {
                let x = grid.apart(0, i, at[0]);
                for j in bins(1, reach) {
                    let y = grid.apart(1, j, at[1]);
                    let left = square - x * x - y * y;
                    if left > 0.0 {
                        let along = bins(2, left.sqrt());
                        let column = (i * grid.bins[1] + j) * grid.bins[2];
                        scan(grid.ptr[column + along.start()] as usize..grid.ptr[column + along.end() + 1] as usize);
                    }
                }
            }
        }
        count
    }

    /// Returns the atom and the image of a ghost that was found. Images of one atom are numbered in the order of their
    /// cells.
    #[inline]
    pub(super) fn found(&self, number: usize) -> (u32, u32) {
        let ghost = self.near[number] as usize;
        (self.atoms[ghost], self.images[ghost])
    }

    /// Returns how many cells the image of `source` that is near `target` is away from `source`.
    #[inline]
    pub(super) fn cells(&self, source: u32, image: u32, target: u32) -> [i32; 3] {
        let (cell, [from, to]) = (&self.cells[image as usize], [source, target].map(|atom| &self.moved[atom as usize]));
        std::array::from_fn(|k| cell[k] + from[k] - to[k])
    }
}

fn extend(low: &mut [f64; 3], high: &mut [f64; 3], x: &[f64; 3]) {
    for axis in 0..3 {
        low[axis] = low[axis].min(x[axis]);
        high[axis] = high[axis].max(x[axis]);
    }
}
